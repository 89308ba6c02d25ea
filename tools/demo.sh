#!/usr/bin/env bash
# A real text recognizer made faster on this machine, with an interval and an accuracy gate. Shows
# each command, then runs it. Everything it makes is in build/demo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/build/bin:$PATH
model=build/models/en_PP-OCRv3_rec_infer.onnx
work=build/demo
rm -rf "$work"
mkdir -p "$work"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show hone inspect "$model"
show hone eval --make-data text-lines -o "$work/lines" --count 600 --seed 1
show hone eval --make-data text-lines -o "$work/calibration" --count 32 --seed 2
show hone autoconfig "$model" -o "$work/search" --ep cpu --task text-recognition \
  --data "$work/lines" --calibration-data "$work/calibration" --time-budget 240

report=$PWD/$work/search/report.html
printf '\nthe report: %s\n' "$report"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
  xdg-open "$report" >/dev/null 2>&1 &
fi
