#!/usr/bin/env bash
# Runs every benchmark that `make bench` has built. Options go to each of them, for example
#   tools/bench.sh --benchmark_filter=read
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob
programs=(build/release/bench-bin/*_bench)
if [ ${#programs[@]} = 0 ]; then
  printf 'bench: there is no benchmark\n  try: add benches/NAME_bench.cpp, then make bench\n' >&2
  exit 1
fi
for program in "${programs[@]}"; do
  printf '%s\n' "${program##*/}"
  "$program" "$@"
done
