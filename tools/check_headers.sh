#!/usr/bin/env bash
# Every header compiles when it is the first and only include: nobody has to know what to include
# before it. What many headers include anyway is precompiled for them (header_plan.awk), which hides
# nothing and takes a fraction of the time.
#   tools/check_headers.sh [HEADER...]     all of them, or these
set -uo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$tools/lib.sh"
cd "$root"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export place
export compiler=${CXX:-clang++-19}
# What the build says, and what it defines for tests.
cat >"$place/flags" <<'END'
-std=c++20 -fsigned-char -Isrc -I. -Iapi/include
-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wno-pragma-once-outside-header -Werror
'-DHONE_SOURCE_DIR="."' '-DHONE_PROGRAM="hone"' '-DHONE_EP_LIBRARY="libhone_ep.so"' '-DHONE_ON_LOOPBACK="x.so"'
END
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

mapfile -t headers < <(cpp_files | grep '\.h$')
awk -f "$tools/header_plan.awk" -v most=24 "${headers[@]}" >"$place/plan"
if [ $# -gt 0 ]; then
  printf '%s\n' "$@" | awk 'NR == FNR { wanted[$1] = 1; next }
    { for (i = 1; i <= NF; i++) if ($i in wanted) { print; next } }' - "$place/plan" >"$place/some"
  mv "$place/some" "$place/plan"
fi

# compile HUB HEADER...: prints what the compiler says of all of them.
compile() {
  local hub=()
  if [ -f "$place/${1//\//+}.pch" ]; then hub=(-include-pch "$place/${1//\//+}.pch"); fi
  printf '#include "%s"\n' "${@:2}" | "$compiler" "@$place/flags" "${hub[@]}" -fsyntax-only -x c++ - 2>&1
}
# prove HUB HEADER...: where they do not compile, each is on its own. Prints what the compiler says, and
# the header's name after a mark.
prove() {
  local header said
  said=$(compile "$@") && return
  for header in "${@:2}"; do
    said=$(compile - "$header") || printf '%s\n@%s\n' "$(head -n 6 <<<"$said")" "$header"
  done
}
# precompile HUB: what one does not compile with is told as any header's.
precompile() {
  "$compiler" "@$place/flags" -x c++-header "$1" -o "$place/${1//\//+}.pch" 2>/dev/null || prove - "$1"
}
export -f compile prove precompile

{
  awk '$1 != "-" { print $1 }' "$place/plan" | sort -u | xargs -P "$jobs" -I{} bash -c 'precompile {}'
  xargs -P "$jobs" -L 1 bash -c 'prove "$@"' prove <"$place/plan"
} >"$place/said"
grep -v '^@' "$place/said"
while IFS= read -r header; do
  problem "$header" 'does not compile as the first and only include' 'include what it uses, in it'
done < <(sed -n 's/^@//p' "$place/said" | sort -u)
finish "check headers ($(tr ' ' '\n' <"$place/plan" | grep -v '^-$' | sort -u | wc -l) alone)"
