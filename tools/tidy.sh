#!/usr/bin/env bash
# clang-tidy on everything; or on what holds the LATEST sources that changed, and on so many of the other
# batches IN_TURN, which are other ones after the next commit. Sources are looked at in batches, as they are
# compiled: sixteen of them take the time of two. Ends with `N passed, N failed`, of batches.
#   tools/tidy.sh [LATEST [IN_TURN]]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/lib.sh
latest=${1:-all}
in_turn=${2:-0}
export tidy=${CLANG_TIDY:-clang-tidy-19}
cmake --preset tidy --log-level=WARNING -Wno-dev >/dev/null || exit 1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export place

# "BATCH SOURCE" for each source of ours: a batch includes its sources, and a source may be its own.
cpp_files | grep '\.cpp$' >"$place/ours"
sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/tidy/compile_commands.json | sort -u |
  while IFS= read -r batch; do
    case $batch in
      */Unity/*) sed -n 's/^#include "\(.*\)"$/\1/p' "$batch" ;;
      *) printf '%s\n' "$batch" ;;
    esac | sed "s|^$PWD/||; s|^|$batch |"
  done | awk 'NR == FNR { is_ours[$0] = 1; next } $2 in is_ours' "$place/ours" - >"$place/batches"

# All batches, those first that hold what a commit changed last; what is not committed comes before all.
latest_first() {
  {
    git status --porcelain | cut -c 4-
    git log --format= --name-only
    cat "$place/ours"
  } | awk -v latest="$1" 'NR == FNR { batch[$2] = $1; next }
    $0 in batch && !seen[$0]++ { if (++sources == latest + 1) print "-"; print batch[$0] }' "$place/batches" - |
    awk '!seen[$0]++'
}
# choose LATEST IN_TURN: the others begin where the commit before this one ended.
choose() {
  latest_first "$1" | awk -v turns="$(git rev-list --count HEAD)" -v most="$2" '
    $0 == "-" { is_rest = 1; next }
    !is_rest { print; next }
    { rest[count++] = $0 }
    END { for (i = 0; i < most && i < count; i++) print rest[(turns * most + i) % count] }'
}
# look_at BATCH: says what is wrong with it. Its sources are headers to it, and are to be told of; that it
# includes them is what a batch is.
look_at() {
  local said=$place/${1//\//+}
  if "$tidy" --quiet -p build/tidy --checks=-bugprone-suspicious-include --header-filter='/(src|app|api|ep|tests)/.*\.(h|cpp)$' "$1" >"$said" 2>/dev/null; then
    echo "$1" >>"$place/passed"
  else
    cat "$said"
    echo "$1" >>"$place/failed"
  fi
}
export -f look_at

: >"$place/passed" >"$place/failed"
if [ "$latest" = all ]; then cut -d' ' -f1 "$place/batches" | sort -u; else choose "$latest" "$in_turn"; fi |
  xargs -P "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" -I{} bash -c 'look_at {}'
printf '%d passed, %d failed\n' "$(wc -l <"$place/passed")" "$(wc -l <"$place/failed")"
[ ! -s "$place/failed" ] && [ -s "$place/passed" ]
