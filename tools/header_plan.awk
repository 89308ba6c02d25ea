# How to compile each header alone without reading the standard library once for each: prints "HUB
# HEADER...", with - for no hub: what one compile proves of all of them.
#
#   awk -f tools/header_plan.awk -v most=16 HEADER...
#
# A hub is a header that HEADER includes anyway, itself or through others. With the hub precompiled
# HEADER sees what it would have seen, and nothing besides, so what it forgot is still missing. For the
# same reason HEADER may stand behind another that it includes anyway. A hub is proven by being one.

# What a header includes, ours and others'. Ours are below src/ or named from the root.
function read_header(file,    line, name) {
  while ((getline line < file) > 0) {
    if (line !~ /^#include [<"]/) continue
    name = line
    gsub(/^#include [<"]|[>"].*$/, "", name)
    if (("src/" name) in is_ours) name = "src/" name
    includes[file] = includes[file] " " name
  }
  close(file)
}

function reach(from, file,    names, i, count) {
  count = split(includes[file], names, " ")
  for (i = 1; i <= count; i++) {
    if ((from, names[i]) in reached) continue
    reached[from, names[i]] = 1
    weight[from]++
    if (names[i] in is_ours) {
      reach(from, names[i])
      users[names[i]] = users[names[i]] " " from
      seen_by[from] = seen_by[from] " " names[i]
    }
  }
}

# What choosing a hub saves: what its users then need not read.
function gain(hub,    names, i, count, sum) {
  count = split(users[hub], names, " ")
  for (i = 1; i <= count; i++) if (weight[hub] > saved[names[i]]) sum += weight[hub] - saved[names[i]]
  return sum - weight[hub]
}

function choose(    i, hub, best, most_gained, gained, names, count) {
  for (i = 1; i < ARGC; i++) {
    if ((gained = gain(ARGV[i])) > most_gained) {
      most_gained = gained
      best = ARGV[i]
    }
  }
  if (best == "") return 0
  count = split(users[best], names, " ")
  for (i = 1; i <= count; i++) {
    if (weight[best] <= saved[names[i]]) continue
    saved[names[i]] = weight[best]
    hub_of[names[i]] = best
  }
  return 1
}

# Before a header: the largest one that it includes, is to be proven, and has the same hub.
function before(header,    names, i, count, best) {
  count = split(seen_by[header], names, " ")
  for (i = 1; i <= count; i++)
    if (!(names[i] in is_proven) && hub_of[names[i]] == hub_of[header] && weight[names[i]] >= weight[best]) best = names[i]
  return best
}

function prove(header,    line) {
  if (header in is_proven) return
  for (; header != ""; header = before(header)) {
    is_proven[header] = 1
    line = " " header line
    first = header
  }
  print (hub_of[first] != "" ? hub_of[first] : "-") line
}

BEGIN {
  if (!most) most = 16
  for (i = 1; i < ARGC; i++) is_ours[ARGV[i]] = 1
  for (i = 1; i < ARGC; i++) read_header(ARGV[i])
  for (i = 1; i < ARGC; i++) reach(ARGV[i], ARGV[i])
  for (round = 0; round < most && choose(); round++) {}
  for (i = 1; i < ARGC; i++) is_proven[hub_of[ARGV[i]]] = 1
  # What nobody includes comes last in its line.
  for (i = 1; i < ARGC; i++) if (!(ARGV[i] in users)) prove(ARGV[i])
  for (i = 1; i < ARGC; i++) prove(ARGV[i])
}
