#!/usr/bin/env bash
# Real networks at what they are for, as they came and in integers, on the same samples, as one table:
# docs/tasks.md. Networks and data come from npm and Debian by name and version (tools/tasks/sources.mjs).
# Goes on where it stopped.
#   TASKS_ONLY=ID,...   these networks
#   TASKS_RACES=0       accuracy alone: no `hone compare`
#   TASKS_OUT=FOLDER    where networks, data and results are kept (build/tasks)
#   TASKS_PAGE=FILE     the page whose table is written (docs/tasks.md; of all networks alone)
#   HONE=FILE           the program (build/bin/hone)
set -euo pipefail

# Paths that were given, from where they were given.
for name in HONE TASKS_OUT TASKS_PAGE; do
  [ -z "${!name:-}" ] || export "$name=$(realpath -m "${!name}")"
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for program in node npm apt-get dpkg-deb; do
  command -v "$program" >/dev/null || {
    printf 'tasks: it needs %s\n  try: make setup, on Debian\n' "$program" >&2
    exit 2
  }
done
exec node tools/tasks/main.mjs
