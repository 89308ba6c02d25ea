#!/usr/bin/env bash
# Runs all checks; each prints what is wrong, where, and what to do. Ends with `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

passed=0
failed=0
for check in check_format check_layers check_once check_programs check_sizes check_text check_walks checks_test new_test setup_test test_test; do
  if "tools/$check.sh"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
