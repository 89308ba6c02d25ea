#!/usr/bin/env bash
# tools/static_shapes.sh [MODEL...]: builds models with open dimensions for QNN and prints, as a table
# for docs/fix-shapes.md, what became of them: sizes, nodes, what is still open, and what the rules say
# that QNN takes, before and after. Each is first built without sizes, which must be refused with a
# line to paste; that line is pasted. Without MODEL: build/models and the zoo of tests/fixtures, with
# weights made up. HONE names the program (build/bin/hone).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
hone=${HONE:-build/bin/hone}
target=(--ep qnn --device npu --build-only --no-quant --allow-unsupported)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HONE_CACHE=$work/cache

# with_weights STRIPPED: the zoo has statistics in the place of weights.
with_weights() {
  local model=$work/zoo/$(basename "$1")
  mkdir -p "$work/zoo"
  "$hone" hydrate "$1" --stats "${1%.onnx}.stats.json" --seed 1 -o "$model" >/dev/null
  printf '%s\n' "$model"
}

# print_row MODEL SIZES: of the build that is there.
print_row() {
  local shapes coverage
  shapes=$(sed -n 's/^  shapes  *\(.*, \)\{0,1\}\([0-9,]* -> [0-9,]*\) nodes*, \(.*\) ([^()]*)$/\2 | \3/p' "$work/out")
  coverage=$(sed -n 's/^  coverage  \(.*\) nodes taken by qnn\(.*\); \(.*\) before .*/\3 | \1\2/p' "$work/out" |
    sed 's/ of them in some forms/ partial/')
  printf '| %s | %s | %s | %s |\n' "$(basename "$1" .onnx)" "$2" "$shapes" "$coverage"
}

row() {
  local model=$1 words
  rm -rf "$work/build"
  if "$hone" build "$model" -o "$work/build" "${target[@]}" -q >"$work/out" 2>"$work/err"; then
    ! grep -q '^  shapes' "$work/out" || print_row "$model" 'inputs are static'
    return 0
  fi
  words=$(sed -n 's/.*--shape-config \([^ ]*\) (it runs.*/\1/p' "$work/err")
  if [ -z "$words" ]; then
    printf '| %s | %s |\n' "$(basename "$model")" "$(tr '\n' ' ' <"$work/err")"
    return 1
  fi
  words=${words#\'}
  words=${words%\'}
  rm -rf "$work/build"
  "$hone" build "$model" -o "$work/build" "${target[@]}" --shape-config "$words" -q \
    >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
  print_row "$model" "\`$words\`"
}

printf '| model | sizes | nodes | open | taken before | taken after |\n|---|---|---|---|---|---|\n'
failed=0
if [ $# -gt 0 ]; then
  for model in "$@"; do row "$model" || failed=1; done
else
  for model in build/models/*.onnx; do row "$model" || failed=1; done
  for model in tests/fixtures/zoo/*.onnx; do
    hydrated=$(with_weights "$model")
    row "$hydrated" || failed=1
    rm -rf "$work/zoo"
  done
fi
exit "$failed"
