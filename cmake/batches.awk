# Sources that may be compiled as one: prints "BATCH FILE" for each FILE, with BATCH from 1.
#
#   awk -f cmake/batches.awk -v most=16 FILE...
#   awk -f cmake/batches.awk -v say=names FILE...     what each file declares for itself alone
#
# What a file has in an anonymous namespace must not be seen by another: no file comes into a batch
# behind one that declares a name it declares too, calls (a function) or writes anywhere (a variable or
# a type). So a batch means what its files mean alone. Names are found by our layout: what is
# declared in a namespace begins at the first column. A name that is missed is a compiler's error,
# never another program, but for one function that overloads another.

function without_literals(line) {
  gsub(/\\./, "", line)
  gsub(/"[^"]*"/, "\"\"", line)
  gsub(/'[^']'/, " ", line)
  sub(/\/\/.*/, "", line)
  return line
}

# The name that a line at the first column of an anonymous namespace declares; empty: none.
# `kind` is what the name is: a function is only in the way of a call.
function declared(line) {
  kind = "thing"
  if (line ~ /^(TEST|TEST_F|TEST_P|INSTANTIATE_[A-Z_]*|static_assert|public|private|protected)[ (:]/)
    return ""
  sub(/^template *<.*> */, "", line)
  gsub(/\[\[[a-z:_]*\]\] */, "", line)
  if (match(line, /^(struct|class|enum class|enum|union) +[A-Za-z_0-9]+/) ||
      match(line, /^using +[A-Za-z_0-9]+ =/)) {
    line = substr(line, 1, RLENGTH)
    sub(/ *=$/, "", line)
    sub(/.* /, "", line)
    return line
  }
  if (line ~ /^using /) return ""
  while (gsub(/<[^<>]*>/, "", line)) {}
  if (!match(line, /[A-Za-z_][A-Za-z_0-9]* *[(=[{;]/)) return ""
  line = substr(line, RSTART, RLENGTH)
  if (line ~ /\($/) kind = "function"
  sub(/ *[(=[{;]$/, "", line)
  return line
}

# Adds what a line of code says to what is known of its file.
function read_words(file, line,    count, words, i, word, called) {
  # a.name, a->name and a::name are somebody's members.
  gsub(/(\.|->|::)[A-Za-z_][A-Za-z_0-9]*/, " ", line)
  gsub(/\(/, " ( ", line)
  gsub(/[^A-Za-z_0-9(]+/, " ", line)
  count = split(line, words, " ")
  for (i = 1; i <= count; i++) {
    word = words[i]
    if (word == "(") continue
    says[file] = says[file] " " word
    if (words[i + 1] == "(") calls[file] = calls[file] " " word
  }
}

function read_file(file,    line, code, depth, anonymous, end, name) {
  depth = anonymous = 0
  end = ""
  while ((getline line < file) > 0) {
    # A raw literal is no code.
    if (end != "") {
      if (!index(line, end)) continue
      line = substr(line, index(line, end) + length(end))
      end = ""
    }
    if (match(line, /R"[A-Za-z_]*\(/)) {
      end = ")" substr(line, RSTART + 2, RLENGTH - 3) "\""
      if (index(substr(line, RSTART + RLENGTH), end)) end = ""
      else line = substr(line, 1, RSTART - 1)
    }
    if (line ~ /^namespace( [a-z_:0-9]+)? \{/) {
      depth++
      if (line ~ /^namespace \{/ && !anonymous) anonymous = depth
      continue
    }
    if (line ~ /^\}.*\/\/ namespace/) {
      if (depth == anonymous) anonymous = 0
      depth--
      continue
    }
    code = without_literals(line)
    # What is defined before a header decides what the header says.
    if (code ~ /^# *define [A-Z]/) is_alone[file] = is_alone[file] || !depth
    else if (code !~ /^ *#/) read_words(file, code)
    # Where testing is a namespace of ours, a neighbour's testing would be it.
    if (code ~ /(^|[^A-Za-z_])::testing::/) is_alone[file] = 1
    if (anonymous && code ~ /^[A-Za-z_[]/) {
      name = declared(code)
      if (name != "") owns[file] = owns[file] " " kind " " name
    }
  }
  close(file)
}

# Whether a file may stand behind those of a batch.
function fits(file, batch,    words, i, count) {
  if (size[batch] >= most || is_alone[file]) return 0
  count = split(owns[file], words, " ")
  for (i = 2; i <= count; i += 2) if ((batch, words[i]) in kinds) return 0
  count = split(says[file], words, " ")
  for (i = 1; i <= count; i++) if (kinds[batch, words[i]] == "thing") return 0
  count = split(calls[file], words, " ")
  for (i = 1; i <= count; i++) if (kinds[batch, words[i]] == "function") return 0
  return 1
}

function join(file, batch,    words, i, count) {
  size[batch] = is_alone[file] ? most : size[batch] + 1
  count = split(owns[file], words, " ")
  for (i = 2; i <= count; i += 2) kinds[batch, words[i]] = words[i - 1]
  print batch, file
}

BEGIN {
  if (!most) most = 16
  for (i = 1; i < ARGC; i++) {
    file = ARGV[i]
    read_file(file)
    if (say == "names") {
      print file ":" owns[file]
      continue
    }
    for (batch = 1; batch <= batches && !fits(file, batch); batch++) {}
    if (batch > batches) batches = batch
    join(file, batch)
  }
}
