#!/usr/bin/env bash
# clang-tidy on every source; on the LATEST that changed last; and on so many of the others IN_TURN, which
# are other ones after the next commit. Ends with `N passed, N failed`.
#   tools/tidy.sh [LATEST [IN_TURN]]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
latest=${1:-all}
in_turn=${2:-0}
export tidy=${CLANG_TIDY:-clang-tidy-19}
if [ ! -f build/tidy/compile_commands.json ]; then
  cmake --preset tidy --log-level=WARNING -Wno-dev >/dev/null || exit 1
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export place

# Those of the configuration: fuzz targets are in no list.
sources() {
  cpp_files | grep '\.cpp$' | while IFS= read -r file; do
    if grep -q "/$file\"" build/tidy/compile_commands.json; then printf '%s\n' "$file"; fi
  done
}
# All of them, those first that a commit changed last; what is not committed comes before all.
latest_first() {
  {
    git status --porcelain | cut -c 4-
    git log --format= --name-only
    sources
  } | awk 'NR == FNR { is_source[$0] = 1; next } $0 in is_source && !seen[$0]++' <(sources) -
}
# choose LATEST IN_TURN: the others begin where the commit before this one ended.
choose() {
  latest_first | awk -v latest="$1" -v turns="$(git rev-list --count HEAD)" -v most="$2" '
    NR <= latest { print; next }
    { rest[count++] = $0 }
    END { for (i = 0; i < most && i < count; i++) print rest[(turns * most + i) % count] }'
}
# look_at SOURCE: says what is wrong with it.
look_at() {
  if "$tidy" --quiet -p build/tidy "$1" >"$place/${1//\//+}" 2>/dev/null; then
    echo "$1" >>"$place/passed"
  else
    cat "$place/${1//\//+}"
    echo "$1" >>"$place/failed"
  fi
}
export -f look_at

: >"$place/passed" >"$place/failed"
if [ "$latest" = all ]; then sources; else choose "$latest" "$in_turn"; fi |
  xargs -P "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" -I{} bash -c 'look_at {}'
printf '%d passed, %d failed\n' "$(wc -l <"$place/passed")" "$(wc -l <"$place/failed")"
[ ! -s "$place/failed" ] && [ -s "$place/passed" ]
