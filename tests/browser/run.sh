#!/usr/bin/env bash
# Opens the pages hone writes in a real browser: run.sh WRITE_PAGES FOLDER. The pages, and pictures
# of them, are left in the folder. Says why and ends with 77 where something is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
write_pages=$1
export HONE_PAGES=$2

skip() {
  printf 'skipped: %s\n  try: make setup\n' "$1"
  exit 77
}

command -v node >/dev/null || skip 'there is no node'
CHROMIUM=${CHROMIUM:-$(command -v chromium || true)}
export CHROMIUM
[ -n "$CHROMIUM" ] || skip 'there is no chromium (or set CHROMIUM to one)'
export HONE_DRIVER=$root/build/browser/package.json
[ -d "$root/build/browser/node_modules/playwright-core" ] ||
  skip 'there is no playwright-core in build/browser'

"$write_pages" "$HONE_PAGES"
exec node --test "$root"/tests/browser/*.test.mjs
