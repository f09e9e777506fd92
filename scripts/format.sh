#!/bin/bash
# clang-format over all C++ and CUDA sources of the project: scripts/format.sh check|fix.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"
mapfile -t files < <(find src runner include tests bench examples python -regextype posix-extended \
  -regex '.*\.(h|cpp|cc|cu|cuh|inl)' -not -path '*/emit/templates/*' -not -path '*/golden*/*' 2>/dev/null | sort)
case ${1:-check} in
  check)
    clang-format-19 --dry-run -Werror "${files[@]}" ||
      die 1 "some sources are not formatted" "" "make format"
    ;;
  fix) clang-format-19 -i "${files[@]}" ;;
  *) die 2 "no such action: $1" "" "check or fix" ;;
esac
