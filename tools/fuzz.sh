#!/usr/bin/env bash
# tools/fuzz.sh SECONDS [PRESET]: runs each fuzz target of a build that long, as many at once as there are
# cores: of `fuzz`, or of `asan`, where they are slower and need no build of their own. Starts from
# fuzz/seeds/NAME, where there is one, and keeps what it finds interesting in build/fuzz/corpus/NAME for
# the next run. An input that breaks a target is left in build/fuzz/found/. Ends with
# `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob
programs=("build/${2:-fuzz}"/bin/fuzz_*)
if [ ${#programs[@]} = 0 ]; then
  printf 'fuzz: there is no fuzz target\n  try: add fuzz/NAME.cpp, then make fuzz\n' >&2
  exit 1
fi
mkdir -p build/fuzz/found

# fuzz PROGRAM SECONDS
fuzz() {
  local program=$1 name=${1##*/fuzz_} folders log
  folders=("build/fuzz/corpus/$name")
  mkdir -p "${folders[0]}"
  [ ! -d "fuzz/seeds/$name" ] || folders+=("fuzz/seeds/$name")
  log=build/fuzz/$name.log
  if "$program" -max_total_time="$2" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/found/ "${folders[@]}" >"$log" 2>&1; then
    printf 'fuzz: %-24s %s runs, nothing found\n' "$name" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    return 0
  fi
  grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$log" | head -n 5 || tail -n 5 "$log"
  printf 'fuzz: %-24s found an input that breaks it\n  try: %s INPUT; all of it is in %s\n' \
    "$name" "$program" "$log"
  return 1
}

broken=0
started=()
for program in "${programs[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  fuzz "$program" "$1" &
  started+=($!)
done
for one in "${started[@]}"; do wait "$one" || broken=$((broken + 1)); done
printf '%d passed, %d failed\n' "$((${#programs[@]} - broken))" "$broken"
[ "$broken" = 0 ]
