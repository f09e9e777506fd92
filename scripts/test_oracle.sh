#!/bin/bash
# Asks CUTLASS with g++ alone (no nvcc, no GPU) about the examples of all rules and a grid of tiles, and writes
# tests/oracle/*_cutlassNN.txt: scripts/test_oracle.sh [all|new]
#   all  every program again (about 4 minutes of one core)
#   new  only programs that the records lack or that have changed
# UCUTLASS_CUTLASS_DIR: a CUTLASS of 4.2 to 4.7; records of several versions stand side by side.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

cutlass=${UCUTLASS_CUTLASS_DIR:-$CUTLASS_DIR}
version=$(cutlass_version_of "$cutlass" | cut -d. -f1,2 | tr -d .)
[ -n "$version" ] || die 3 "no CUTLASS in $cutlass" "the oracle has nobody to ask" "scripts/fetch_cutlass.sh, or UCUTLASS_CUTLASS_DIR"
keep=()
[ "${1:-all}" = all ] || keep=(--keep)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for kind in smem rules; do
  "$BUILD/tests/oracle/uc_oracle" "$kind" "$work/$kind"
  python3 "$ROOT/tests/oracle/oracle.py" "$work/$kind" --cutlass "$cutlass" "${keep[@]}" \
    -o "$ROOT/tests/oracle/${kind}_cutlass$version.txt" || status=1
done
exit $status
