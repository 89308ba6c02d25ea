#!/usr/bin/env bash
# A short tour on a real model: the text recognizer of PP-OCRv4. Shows each command, then runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/build/bin:$PATH
model=build/models/ch_PP-OCRv4_rec_infer.onnx
shape=x=1x3x48x320

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show hone inspect "$model"
show hone perf "$model" --shape-config "$shape" --op-tracing basic --memory

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
show hone build "$model" -o "$work/build" --ep cpu --shape-config "$shape" \
  --enable hard-swish-fusion --enable conv-bn-fusion --enable gelu-fusion
show hone perf "$work/build" --shape-config "$shape"
show hone perf "$work/build" --shape-config "$shape" --ep sim --ep-options deny=Softmax
