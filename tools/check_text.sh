#!/usr/bin/env bash
# What no file of the repository may hold: leftovers, stray white space, paths of one machine,
# links that lead nowhere, addresses in a lock file.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

mapfile -t files < <(project_files)

# search PATTERN WHAT HINT FILE...: one problem for each matching line of a text file.
search() {
  local pattern=$1 what=$2 hint=$3 where
  shift 3
  [ $# -gt 0 ] || return 0
  while IFS= read -r where; do
    problem "$where" "$what" "$hint"
  done < <(grep -I -n -H -E -e "$pattern" -- "$@" | sed -E 's/^([^:]*:[0-9]+):.*/\1/')
}

matching() { printf '%s\n' "${files[@]}" | grep -E "$1" || true; }

# The brackets keep these lines from finding themselves.
mapfile -t ours < <(printf '%s\n' "${files[@]}" | grep -v -E '^(LICENSE|tests/fixtures/)')
search 'TO[D]O|FI[X]ME' 'holds a note to ourselves' 'do it, or open an issue and drop the note' \
  "${ours[@]}"
search '[[:space:]]+$' 'ends with white space' 'remove it' "${ours[@]}"
search '(^|[^[:alnum:]_.~-])/(ro[o]t|wor[k]|home/[a-z]+)/' 'names a path of one machine' \
  'use a path relative to the repository' "${ours[@]}"

mapfile -t documents < <(matching '\.md$')
search '^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$' 'holds a placeholder' 'write what belongs there' \
  "${documents[@]}"

mapfile -t cpp < <(matching '\.(cpp|h|inc)$')
search $'\t' 'holds a tab' 'indent with spaces; write \t in a string' "${cpp[@]}"

mapfile -t locks < <(matching '(^|/)package-lock\.json$')
search '"resolve[d]"' 'ties the package to one registry' \
  'npm install with omit-lockfile-registry-resolved=true' "${locks[@]}"

# Lines "link TAB line" and "anchor TAB name" of one document, fenced code left out. Anchors are the
# headings as GitHub names them.
links_of() {
  awk '
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    /^#+ / {
      name = tolower($0); sub(/^#+ +/, "", name); gsub(/[^a-z0-9 _-]/, "", name); gsub(/ /, "-", name)
      print "anchor\t" name
    }
    {
      gsub(/`[^`]*`/, "")
      while (match($0, /\]\([^) ]+\)/)) {
        print "link\t" substr($0, RSTART + 2, RLENGTH - 3) "\t" NR
        $0 = substr($0, RSTART + RLENGTH)
      }
    }' "$1"
}

# check_link DOCUMENT LINE LINK
check_link() {
  local document=$1 line=$2 link=$3 path anchor=""
  case $link in http://* | https://* | mailto:*) return 0 ;; esac
  path=${link%%#*}
  [[ $link == *'#'* ]] && anchor=${link#*#}
  if [ -z "$path" ]; then path=$document; else path=$(dirname "$document")/$path; fi
  if [ ! -e "$path" ]; then
    problem "$document:$line" "links to '$link', which is not there" 'correct the link'
  elif [ -n "$anchor" ] && ! links_of "$path" | grep -q -x -F "$(printf 'anchor\t%s' "$anchor")"; then
    problem "$document:$line" "links to '$link', which has no such heading" 'correct the anchor'
  fi
}

for document in "${documents[@]}"; do
  while IFS=$'\t' read -r kind link line; do
    [ "$kind" != link ] || check_link "$document" "$line" "$link"
  done < <(links_of "$document")
done
finish 'check text'
