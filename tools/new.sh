#!/usr/bin/env bash
# tools/new.sh command|pass NAME: writes the file of a new plug-in, its line in the list, its page
# (a pass: its section of docs/passes.md, and its cases; a command: its section of docs/cli.md and its
# transcript), from tools/templates/. NAME is kebab-case and stays for ever.
set -euo pipefail
templates=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/templates
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

die() {
  printf 'new: %s\n  try: %s\n' "$1" "$2" >&2
  exit 2
}

kind=${1:-} name=${2:-}
[[ $name =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]] ||
  die "'$name' is no kebab-case name" 'tools/new.sh command|pass NAME, for example: command strip'
function=${name//-/_}

case $kind in
  command) list=app/commands.inc line="HONE_COMMAND($function)" folder=app/commands ;;
  pass) list=src/transform/passes.inc line="HONE_PASS($function)" folder=src/transform/passes ;;
  *) die "'$kind' is no kind of plug-in" 'command or pass' ;;
esac
[ -f "$list" ] || die "$list is not there" "add the list of this kind first"
! grep -q -x -F "$line" "$list" || die "$list has $name already" 'another name'

# filled TEMPLATE: its text for this name.
filled() {
  sed "s/@NAME@/$name/g; s/@FUNCTION@/$function/g" "$templates/$1.in"
}

# write TEMPLATE FILE
write() {
  [ ! -e "$2" ] || die "$2 is there already" 'another name, or remove it'
  mkdir -p "$(dirname "$2")"
  filled "$1" >"$2"
  printf 'new: %s\n' "$2"
}

write "$kind.cpp" "$folder/$function.cpp"
if [ "$kind" = pass ]; then
  write pass.txt "tests/passes/$name.txt"
  filled pass.md >>docs/passes.md
  printf 'new: a section in docs/passes.md\n'
else
  write command.md "docs/$name.md"
  write command.txt "tests/cli/$name.txt"
  filled command.cli.md >>docs/cli.md
  printf 'new: a section in docs/cli.md\n'
fi
# At the end: in passes.inc the order is the order in which passes run, and that is for you to say.
printf '%s\n' "$line" >>"$list"
printf 'new: %s in %s\n' "$line" "$list"
