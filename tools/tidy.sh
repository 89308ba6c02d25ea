#!/usr/bin/env bash
# clang-tidy on every source, or on the COUNT that changed last: one source takes 29 s of a core (mean
# of 8), all of them hours. Ends with `N passed, N failed`.
#   tools/tidy.sh [COUNT]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
count=${1:-all}
if [ ! -f build/tidy/compile_commands.json ]; then
  cmake --preset tidy --log-level=WARNING -Wno-dev >/dev/null || exit 1
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export place

# The sources, those first that a commit changed last; what is not committed comes before all.
latest_first() {
  {
    git status --porcelain | cut -c 4-
    git log --format= --name-only
  } | awk '/\.cpp$/ && !seen[$0]++' | grep -E '^(src|app|ep|tests|benches|fuzz)/' |
    while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done
}
# look_at SOURCE: says what is wrong with it. A source of another configuration (fuzz) is in no list.
look_at() {
  grep -q "/$1\"" build/tidy/compile_commands.json || return 0
  if clang-tidy --quiet -p build/tidy "$1" >"$place/${1//\//+}" 2>/dev/null; then
    echo "$1" >>"$place/passed"
  else
    cat "$place/${1//\//+}"
    echo "$1" >>"$place/failed"
  fi
}
export -f look_at

: >"$place/passed" >"$place/failed"
if [ "$count" = all ]; then cpp_files | grep '\.cpp$'; else latest_first | awk -v most="$count" 'NR <= most'; fi |
  xargs -P "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" -I{} bash -c 'look_at {}'
printf '%d passed, %d failed\n' "$(wc -l <"$place/passed")" "$(wc -l <"$place/failed")"
[ ! -s "$place/failed" ] && [ -s "$place/passed" ]
