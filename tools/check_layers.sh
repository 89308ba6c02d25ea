#!/usr/bin/env bash
# Holds the tables of ARCHITECTURE.md to be true: which module may include which, through which
# modules a foreign header enters, and who opens what. They are read from the document itself.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

document=ARCHITECTURE.md
[ -f "$document" ] || {
  problem "$document" 'is missing' 'restore it: the module table is read from it'
  finish 'check layers'
}

# Each finding is one line: where TAB what TAB what to do.
findings=$(project_files | grep -E '^(src/[^/]+|app|ep|api)/.*\.(cpp|h|inc)$' | awk -v document="$document" '
  function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
  function unquote(text) { gsub(/`/, "", text); return trim(text) }
  function report(where, what, hint) { print where "\t" what "\t" hint }

  # Rows of the table that opened last; another heading row or a line outside of any table ends it.
  function read_document(   line, cell, count, number, table, items, i) {
    while ((getline line < document) > 0) {
      number++
      if (line !~ /^\|/) { table = ""; continue }
      count = split(line, cell, "|")
      if (line ~ /^\| *module \|/) { table = "modules"; continue }
      if (line ~ /^\| *(foreign header|door) \|/) { table = "foreign"; continue }
      if (table == "" || line ~ /^\|-/) continue
      if (table == "modules") {
        name = unquote(cell[2]); known[name] = 1; order[++modules] = name
        allowed[name] = unquote(cell[4]); row[name] = number
      } else {
        header = unquote(cell[2]); foreign[++headers] = header
        doors[header] = unquote(cell[3]); kinds[header] = unquote(cell[4])
      }
    }
    if (!modules) report(document, "has no module table", "begin its heading row with | module |")
    for (i = 1; i <= modules; i++) read_allowed(order[i])
  }
  function read_allowed(name,   items, count, i, item) {
    may[name, name] = 1
    if (allowed[name] == "nothing of ours") return
    if (allowed[name] == "everything") { for (item in known) may[name, item] = 1; return }
    count = split(allowed[name], items, ",")
    for (i = 1; i <= count; i++) {
      item = trim(items[i])
      if (item in known) may[name, item] = 1
      else report(document ":" row[name], "may-include of `" name "` names `" item "`, which is no module",
                  "write module names with commas, `nothing of ours` or `everything`")
    }
  }
  function in_list(item, list,   items, count, i) {
    count = split(list, items, ",")
    for (i = 1; i <= count; i++) if (trim(items[i]) == item) return 1
    return 0
  }
  function check_ours(where, from, path,   slash, to) {
    slash = index(path, "/")
    to = slash ? substr(path, 1, slash - 1) : ""
    if (!slash || !(to in known))
      report(where, "includes \"" path "\", which names no module", "include it from the root: \"" from "/...\"")
    else if (!((from, to) in may))
      report(where, "`" from "` may not include `" to "`",
             "move what is shared to `record` or `base`, or argue for the row in " document)
  }
  function check_foreign(where, file, from, path,   i, header) {
    for (i = 1; i <= headers; i++) {
      header = foreign[i]
      if (index(path, header) != 1) continue
      if (!in_list(from, doors[header]))
        report(where, "`" header "` enters through " doors[header] " and not `" from "`",
               "call what that module offers, or argue for the row in " document)
      else if (kinds[header] == ".cpp" && file !~ /\.cpp$/)
        report(where, "`" header "` is too heavy for a header", "include it in the .cpp and hide it from the interface")
    }
  }

  BEGIN { read_document() }
  {
    file = $0; number = 0
    split(file, part, "/")
    from = part[1] == "src" ? part[2] : part[1]
    if (!(from in known)) {
      if (!told[from]++) report(file, "`" from "` is not in the module table of " document, "add its row")
      next
    }
    is_test = file ~ /_test\.cpp$/
    while ((getline line < file) > 0) {
      number++
      if (line !~ /^[ \t]*#[ \t]*include[ \t]*["<]/) continue
      path = line; sub(/^[^"<]*["<]/, "", path); sub(/[">].*/, "", path)
      if (line ~ /"/) check_ours(file ":" number, from, path)
      # A test may look at a foreign library to compare ours with it.
      if (!is_test) check_foreign(file ":" number, file, from, path)
    }
    close(file)
  }')

while IFS=$'\t' read -r where what hint; do
  [ -z "$where" ] || problem "$where" "$what" "$hint"
done <<<"$findings"
finish 'check layers'
