# How to compile each header alone without reading the standard library once for each: prints "HUB
# HEADER", with - for no hub.
#
#   awk -f tools/header_plan.awk -v most=16 HEADER...
#
# A hub is a header that HEADER includes anyway, itself or through others. With the hub precompiled
# HEADER sees what it would have seen, and nothing besides, so what it forgot is still missing.

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

BEGIN {
  if (!most) most = 16
  for (i = 1; i < ARGC; i++) is_ours[ARGV[i]] = 1
  for (i = 1; i < ARGC; i++) read_header(ARGV[i])
  for (i = 1; i < ARGC; i++) reach(ARGV[i], ARGV[i])
  for (round = 0; round < most && choose(); round++) {}
  for (i = 1; i < ARGC; i++) print (ARGV[i] in hub_of ? hub_of[ARGV[i]] : "-"), ARGV[i]
}
