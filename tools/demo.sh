#!/usr/bin/env bash
# A short tour on a real model: the text recognizer of PP-OCRv4. Shows each command, then runs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/build/bin:$PATH
model=build/models/ch_PP-OCRv4_rec_infer.onnx

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show hone inspect "$model"
