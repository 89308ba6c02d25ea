#!/usr/bin/env bash
# What has one place stays there: the walk through a folder, the hash of a file, the refusal of what
# somebody typed. Tests may do as they like.
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
finish 'check once'
