#!/usr/bin/env bash
# What has one place stays there: the walk through a folder, the hash of a file, the refusal of what
# somebody typed, the name of a type. Tests may do as they like.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

mapfile -t files < <(cpp_files | grep -E '^(src|ep)/' | grep -v -E '_(test|for_tests|fixture)\.(cpp|h)$')

# only_in PLACE PATTERN WHAT HINT FILE...: one problem for each matching line outside of PLACE.
only_in() {
  local place=$1 pattern=$2 what=$3 hint=$4 file line
  shift 4
  for file in "$@"; do
    [ "$file" != "$place" ] || continue
    while IFS=: read -r line _; do
      [ -z "$line" ] || problem "$file:$line" "$what" "$hint"
    done < <(grep -n -E -e "$pattern" -- "$file" || true)
  done
}

only_in src/base/folder.cpp 'directory_iterator' 'walks a folder by itself' \
  'files_in, files_below, list_folder or walk_folder of base/folder.h: sorted, bounded, with its errors' \
  "${files[@]}"
only_in src/base/misuse.h 'Failure misuse\(|auto misuse' 'has a misuse() of its own' \
  'misuse(what, hint) of base/misuse.h' "${files[@]}"

# A file that is mapped and hashed ends the process where it shrinks meanwhile.
mapfile -t mapping < <(printf '%s\n' "${files[@]}" | xargs -r -d '\n' grep -l -E 'map_file(_inside)?\(')
only_in none 'sha256\([a-z_]+(\.|->)view\(\)\)' 'hashes a file that it maps' \
  'hash_of_file, hash_of_file_inside or add_files of base/hash_file.h' "${mapping[@]}"

# Two types of one name in one namespace are one to the linker, which keeps one of each function that
# compilers write for them: a picture's size was compared as a size with symbols.
while read -r first second name; do
  problem "$second" "$name is declared in $first as well" 'a name of its own, or a namespace'
done < <(cpp_files | grep -E '^(src|app|ep)/.*\.h$' | xargs -r -d '\n' awk '
  FNR == 1 { depth = 0 }
  /^(inline )?namespace .*\{$/ { space[++depth] = $0; sub(/^(inline )?namespace /, "", space[depth]); next }
  /^\}  \/\/ namespace/ { depth--; next }
  /^(struct|class|union|enum class) [A-Z]/ && !/^[a-z ]+ [A-Za-z0-9]+;/ {
    name = $1 == "enum" ? $3 : $2
    sub(/[^A-Za-z0-9].*/, "", name)
    place = ""
    for (i = 1; i <= depth; i++) place = place space[i]
    if ((place, name) in first && first[place, name] != FILENAME) print first[place, name], FILENAME, name
    first[place, name] = FILENAME
  }')
finish 'check once'
