#!/usr/bin/env bash
# tools/fuzz.sh SECONDS: runs each fuzz target that long. Starts from fuzz/seeds/NAME, where there
# is one, and keeps what it finds interesting in build/fuzz/corpus/NAME for the next run. An input
# that breaks a target is left in build/fuzz/found/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob
programs=(build/fuzz/bin/fuzz_*)
if [ ${#programs[@]} = 0 ]; then
  printf 'fuzz: there is no fuzz target\n  try: add fuzz/NAME.cpp, then make fuzz\n' >&2
  exit 1
fi
mkdir -p build/fuzz/found
broken=0
for program in "${programs[@]}"; do
  name=${program##*/fuzz_}
  folders=("build/fuzz/corpus/$name")
  mkdir -p "${folders[0]}"
  [ ! -d "fuzz/seeds/$name" ] || folders+=("fuzz/seeds/$name")
  log=build/fuzz/$name.log
  if "$program" -max_total_time="$1" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/found/ "${folders[@]}" >"$log" 2>&1; then
    printf 'fuzz: %-24s %s runs, nothing found\n' "$name" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  else
    broken=$((broken + 1))
    grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$log" | head -n 5 || tail -n 5 "$log"
    printf 'fuzz: %-24s found an input that breaks it\n  try: %s INPUT; all of it is in %s\n' \
      "$name" "$program" "$log"
  fi
done
[ "$broken" = 0 ]
