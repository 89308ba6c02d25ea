#!/usr/bin/env bash
# Shows that `make corpus` calls a sound network sound, sees what is wrong with a broken one and with a hone
# that lies, hangs or crashes, and goes on where it stopped.
#   tools/corpus_test.sh build/bin/hone
set -uo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
hone=$(realpath "${1:-build/bin/hone}")
command -v node >/dev/null || exit 77
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
wrong=0
tiny=$tools/../tests/fixtures/tiny
mkdir "$place/sound" "$place/broken" "$place/quantized"
cp "$tiny/resnet-cls/torch-opset17.onnx" "$place/sound/resnet.onnx"
printf 'not a model' >"$place/broken/broken.onnx"
"$hone" quantize "$place/sound/resnet.onnx" -o "$place/quantized/w8a8.onnx" -q >/dev/null

# expect STATUS WORDS HONE MODELS CELLS [NAME=VALUE...]: runs those cells on those models.
expect() {
  local status=$1 words=$2 program=$3 models=$4 cells=$5 found=0
  shift 5
  output=$(env -u CORPUS_ONLY "$@" HONE="$program" MODELS="$models" CORPUS_CELLS="$cells" CORPUS_OUT="$place/out" \
    "$tools/corpus.sh" --no-second 2>&1) || found=$?
  if [ "$found" != "$status" ] || [[ $output != *"$words"* ]]; then
    printf 'corpus_test.sh: %s of %s ended with %s, expected %s with "%s". It said:\n%s\n' \
      "$cells" "${models##*/}" "$found" "$status" "$words" "$output"
    wrong=$((wrong + 1))
  fi
}

# otherwise NAME COMMAND LINE: a hone that runs LINE where COMMAND is asked for.
otherwise() {
  printf '#!/usr/bin/env bash\nhone=%q\nif [ "$1" = %q ]; then\n%s\nfi\nexec "$hone" "$@"\n' \
    "$hone" "$2" "$3" >"$place/$1"
  chmod +x "$place/$1"
}

expect 0 '1 networks: 2 ok, 0 refused, 0 not applicable, 0 failed' "$hone" "$place/sound" 'inspect,convert up'
[[ $output == *'[2/2] resnet convert up ok'* ]] || { echo 'corpus_test.sh: there is no progress'; wrong=$((wrong + 1)); }
grep -q -x '| resnet | ok | ok |' "$place/out/table.md" || { cat "$place/out/table.md"; wrong=$((wrong + 1)); }

# What is known is not run again; another column is.
expect 0 '2 ok' "$hone" "$place/sound" 'inspect,convert up'
[[ $output != *'[2/2]'* ]] || { echo 'corpus_test.sh: it ran twice'; wrong=$((wrong + 1)); }
expect 0 '[2/2] resnet perf ok' "$hone" "$place/sound" 'inspect,perf'

expect 0 '1 networks: 1 ok' "$hone" "$place/sound" 'inspect,build' CORPUS_KNOWN=1

expect 1 'FAIL  broken / inspect: inspect: exit 2: cannot read' "$hone" "$place/broken" 'inspect,analyze'
expect 0 '1 refused' "$hone" "$place/quantized" w8a8
expect 2 "there is no cell 'inspekt'" "$hone" "$place/sound" inspekt
expect 2 "nowhere': MODELS is a folder" "$hone" nowhere inspect
printf 'sound/resnet.onnx\t\nsound/none.onnx\n' >"$place/list"
expect 1 'FAIL  none / inspect: it cannot be fetched' "$hone" "$place/list" inspect

# The same network with other weights.
"$hone" strip "$place/sound/resnet.onnx" -o "$place/stripped.onnx" >/dev/null
"$hone" hydrate "$place/stripped.onnx" --seed 7 -o "$place/other.onnx" >/dev/null
otherwise liar convert "\"\$hone\" convert $(printf %q "$place/other.onnx") \"\${@:3}\"; exit"
expect 1 "output 'logits' is another" "$place/liar" "$place/sound" 'convert up'
otherwise littering quantize 'touch quantized.onnx.calibration'
expect 1 'refused and left quantized.onnx.calibration' "$place/littering" "$place/quantized" w8a8
floor='"holds":false,"least_sqnr_db":10,"worst_output":"y","worst_sqnr_db":2.9'
otherwise strict quantize "echo '{$floor,\"tried\":[{\"name\":\"per-channel\",\"worst_sqnr_db\":22.4}]}'; exit 3"
expect 0 "below the floor of 10 dB: 'y' keeps 2.9 dB; tried per-channel 22.4 dB" "$place/strict" "$place/sound" int4
otherwise helpless quantize "echo '{$floor,\"tried\":[]}'; exit 3"
expect 1 'below the floor' "$place/helpless" "$place/sound" int4
otherwise crashing perf 'kill -SEGV $$'
expect 1 'perf ended by SIGSEGV' "$place/crashing" "$place/sound" perf
otherwise hanging inspect 'sleep 60'
expect 1 'inspect took more than 3 s' "$place/hanging" "$place/sound" inspect CORPUS_PATIENCE=0.1
otherwise silent perf 'exit 1'
expect 1 'perf: exit 1 without a word' "$place/silent" "$place/sound" perf
otherwise empty perf 'echo "{}"; exit 0'
expect 1 'the answer is not what its page promises' "$place/empty" "$place/sound" perf

# Nobody else works in its folder meanwhile. A signal ends it, and the command it runs, and leaves no folder
# of a cell behind.
otherwise slow perf "echo \$\$ >$(printf %q "$place/pid"); exec sleep 60"
env HONE="$place/slow" MODELS="$place/sound" CORPUS_CELLS=perf CORPUS_OUT="$place/out" \
  "$tools/corpus.sh" --no-second >"$place/said" 2>&1 &
run=$!
for _ in $(seq 100); do [ -s "$place/pid" ] && break || sleep 0.1; done
expect 2 'works in' "$hone" "$place/sound" inspect
kill -TERM "$run"
wait "$run"
status=$?
if [ "$status" != 143 ] || ! grep -q 'what is done is kept' "$place/said" || kill -0 "$(cat "$place/pid")" 2>/dev/null ||
  [ -e "$place/out/work" ]; then
  printf 'corpus_test.sh: stopped with status %s, expected 143. It said:\n' "$status"
  cat "$place/said"
  wrong=$((wrong + 1))
fi

[ "$wrong" = 0 ] || exit 1
echo 'corpus test: ok'
