# Shared by the scripts of this folder; sourced, never run.
# HONE_ROOT names another tree to work on: that is how checks_test.sh shows each check a broken one.

root=${HONE_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
problems=0

# All files that are, or would be, part of the repository. Outside of git: all but build output.
project_files() {
  if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
    (cd "$root" && git ls-files -co --exclude-standard | sort -u |
      while IFS= read -r file; do [ -f "$file" ] && printf '%s\n' "$file"; done)
  else
    (cd "$root" && find . \( -name .git -o -name build -o -name node_modules \) -prune \
      -o -type f -print | sed 's|^\./||' | sort)
  fi
}

cpp_files() {
  project_files | grep -E '\.(cpp|hpp|c|h|inc)$' || true
}

# problem WHERE WHAT WHAT-TO-DO
problem() {
  printf '%s: %s\n  try: %s\n' "$1" "$2" "$3"
  problems=$((problems + 1))
}

# The last line of a check: its name, and its exit status.
finish() {
  if [ "$problems" -gt 0 ]; then
    printf '%s: %d problem(s)\n' "$1" "$problems"
    exit 1
  fi
  printf '%s: ok\n' "$1"
}
