#!/usr/bin/env bash
# Holds the walks of ARCHITECTURE.md ("One `build`, file by file") to be true: at most 20 files that are
# there, each included by one before it or a plug-in of a list, and none that includes one above it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"
document=ARCHITECTURE.md
most=20

# place FILE: of "flow/build.cpp", src/flow/build.cpp.
place() { case $1 in app/*) printf '%s' "$1" ;; *) printf 'src/%s' "$1" ;; esac }
# header FILE: as it is included.
header() { printf '%s.h' "${1%.cpp}"; }
# includes FILE WHAT: whether the source or its header does.
includes() {
  local source
  source=$(place "$1")
  grep -q -s -F "#include \"$2\"" "$source" "${source%.cpp}.h"
}
# looks_back FILE ABOVE: whether a source includes what stands above it. A job is declared in flow/job.h
# beside the flow that does it.
looks_back() {
  [ "$2" != flow/job.cpp ] && grep -q -s -F "#include \"$(header "$2")\"" "$(place "$1")"
}
# is_plug_in FILE: whether commands.inc lists commands/build.cpp.
is_plug_in() {
  local source name
  source=$(place "$1")
  name=${source##*/}
  grep -q -s -E "\(${name%.cpp}\)" "${source%/*}.inc"
}

# check_walk NAME FILE...
check_walk() {
  local name=$1 file above is_reached seen=()
  shift
  [ $# -le "$most" ] || problem "$document" "the walk of \`$name\` has $# files" "at most $most: make the way shorter"
  for file in "$@"; do
    if [ ! -f "$(place "$file")" ]; then
      problem "$document" "the walk of \`$name\` names $file, which is not there" 'name the file that took its place'
      continue
    fi
    is_reached=no
    for above in "${seen[@]}"; do
      if includes "$above" "$(header "$file")"; then is_reached=yes; fi
      if looks_back "$file" "$above"; then
        problem "$(place "$file")" "looks back to $above on the walk of \`$name\`" \
          "call one way, or move the line in $document"
      fi
    done
    if [ ${#seen[@]} -gt 0 ] && [ $is_reached = no ] && ! is_plug_in "$file"; then
      problem "$document" "on the walk of \`$name\` nothing before $file includes it" 'put it behind what calls it'
    fi
    seen+=("$file")
  done
}

# "build flow/build.cpp": a line for each file of each walk.
walks() {
  awk '/^### One `[a-z-]+`, file by file/ { name = $3; gsub(/[`,]/, "", name) }
       /^```/ { inside = !inside && name != ""; if (!inside) name = ""; next }
       inside && $1 ~ /\.cpp$/ { print name, $1 }' "$document"
}

[ -n "$(walks)" ] || problem "$document" 'has no walk' 'describe one: ### One `build`, file by file'
for name in $(walks | awk '!seen[$1]++ { print $1 }'); do
  mapfile -t files < <(walks | awk -v name="$name" '$1 == name { print $2 }')
  check_walk "$name" "${files[@]}"
done
finish 'check walks'
