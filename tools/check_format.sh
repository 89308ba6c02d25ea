#!/usr/bin/env bash
# All C++ is as clang-format writes it (.clang-format). --fix rewrites the files.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mapfile -t sources < <(cpp_files | grep -E '\.(cpp|hpp|c|h)$' || true)
[ ${#sources[@]} -gt 0 ] || finish 'check format'
cd "$root"

if [ "${1:-}" = --fix ]; then
  clang-format -i "${sources[@]}"
  exit 0
fi
while IFS= read -r file; do
  problem "$file" 'is not formatted' 'make format'
done < <(clang-format --dry-run "${sources[@]}" 2>&1 |
  sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: warning: .*/\1/p' | sort -u)
finish 'check format'
