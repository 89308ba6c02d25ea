#!/usr/bin/env bash
# tools/new.sh KIND NAME: writes the file of a new plug-in and its line in the list, from
# tools/templates/. A command comes with its page, its section of docs/cli.md and its transcript, a
# pass with its section of docs/passes.md and its cases. The tables of the documentation that list a
# kind are written by UPDATE_GOLDEN=1 hone_registry_test. NAME is kebab-case and stays for ever.
set -euo pipefail
templates=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/templates
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

die() {
  printf 'new: %s\n  try: %s\n' "$1" "$2" >&2
  exit 2
}

# Where each kind lives: its list, the macro of a line, the folder of its files.
kinds='command   app/commands.inc                      HONE_COMMAND           app/commands
pass      src/transform/passes.inc              HONE_PASS              src/transform/passes
ep        src/kinds/eps.inc                     HONE_EP                src/kinds/eps
precision src/kinds/precisions.inc              HONE_PRECISION         src/kinds/precisions
method    src/transform/quantize/methods.inc    HONE_METHOD            src/transform/quantize/methods
task      src/inspect/eval/tasks.inc            HONE_TASK              src/inspect/eval/tasks
monitor   src/measure/monitors.inc              HONE_MONITOR           src/measure/monitors
publisher src/catalog/publishers.inc            HONE_PUBLISHER         src/catalog/publishers
family    src/checkpoint/families.inc           HONE_FAMILY            src/checkpoint/families
runner    src/catalog/runners.inc               HONE_RUNNER            src/catalog/runners
source    src/search/sources.inc                HONE_HYPOTHESIS_SOURCE src/search/sources'

kind=${1:-} name=${2:-}
known=$(awk '{ printf "%s%s", sep, $1; sep = "|" }' <<<"$kinds")
[[ $name =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]] ||
  die "'$name' is no kebab-case name" "tools/new.sh $known NAME, for example: command strip"
function=${name//-/_}

row=$(awk -v kind="$kind" '$1 == kind' <<<"$kinds")
[ -n "$row" ] || die "'$kind' is no kind of plug-in" "one of $known"
read -r _ list macro folder <<<"$row"
line="$macro($function)"
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
case $kind in
  command)
    write command.md "docs/$name.md"
    write command.txt "tests/cli/$name.txt"
    filled command.cli.md >>docs/cli.md
    printf 'new: a section in docs/cli.md\n'
    ;;
  pass)
    write pass.txt "tests/passes/$name.txt"
    filled pass.md >>docs/passes.md
    printf 'new: a section in docs/passes.md\n'
    ;;
esac
# At the end: where the order of a list means something, it is for you to say.
printf '%s\n' "$line" >>"$list"
printf 'new: %s in %s\n' "$line" "$list"
