#!/usr/bin/env bash
# No command line of our own is built: what hone runs in another process is `hone worker`, which has no
# options and takes an order as a record (flow/job.h). So numbers arrive bit for bit, and nothing that
# we print is parsed. Programs of others are started in one place each.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

# Where programs of others are started: the file, and which.
declare -A foreign=(
  [src/catalog/az/feed.cpp]=az
  [src/catalog/slurm_client.cpp]='sbatch, squeue and scancel'
  [src/inspect/eval/tasks/voice_activity.cpp]=espeak-ng
  [src/measure/qnn_viewer.cpp]="QNN's viewer"
  [src/measure/xrt_smi.cpp]=xrt-smi
)
mapfile -t files < <(cpp_files | grep -E '^(src|app|ep)/' |
  grep -v -E '_(test|for_tests|fixture)\.(cpp|h)$|^ep/testing/')

# report FILE PATTERN WHAT HINT: one problem for each line that matches.
report() {
  local file=$1 line
  while IFS=: read -r line _; do
    [ -z "$line" ] || problem "$file:$line" "$3" "$4"
  done < <(grep -n -E -e "$2" -- "$file" || true)
}

order='make it an order (flow/job.h), and hand it to run_apart()'
for file in "${files[@]}"; do
  case $file in
    src/base/process.* | src/base/conversation.* | src/base/launch.*) continue ;;
  esac
  report "$file" '(^|[^A-Za-z_])((exec[vl]p?e?|posix_spawnp?|popen|v?fork)\(|system\(.*("|c_str))' \
    'starts a process by itself' 'run_process of base/process.h, or Conversation of base/conversation.h'
  if [ -z "${foreign[$file]:-}" ]; then
    report "$file" '(^|[^A-Za-z_])run_process\(' 'starts a program' \
      "of hone: $order; of others: name the file in tools/check_programs.sh"
  fi
  # A conversation is with a worker, and with nothing behind that word.
  while IFS=: read -r line text; do
    case $text in
      '' | *', "worker"}, '*) ;;
      *) problem "$file:$line" 'talks to a program with words of its own' "$order" ;;
    esac
  done < <(grep -n -E 'Conversation::start\(' -- "$file" || true)
done
for file in "${!foreign[@]}"; do
  [ ! -f "$file" ] || report "$file" 'own_program\(|run_process\(.*"hone"' \
    'starts hone, not a program of others' "$order"
done
finish 'check programs'
