#!/bin/sh
# Makes all captures anew: data/kernelbench/ from a checkout of KernelBench, examples/*/problem.json from their problem.py.
#   KERNELBENCH_DIR=~/KernelBench/KernelBench PYTHON=python3 JOBS=2 scripts/capture_all.sh [LEVEL/ID ...]
# KERNELBENCH_DIR is the folder that holds level1, level2, ...; without it only the examples are made. JOBS captures run at a
# time (default 2), each up to 12 GiB. LEVEL/ID (3/28) captures these problems only. All 250 take about an hour with 2 jobs.
set -eu
cd "$(dirname "$0")/.."
export PYTHON="${PYTHON:-python3}" PYTHONPATH="$PWD/python" OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"

if [ -n "${KERNELBENCH_DIR:-}" ]; then
  mkdir -p data/kernelbench/level1 data/kernelbench/level2 data/kernelbench/level3
  if [ $# -gt 0 ]; then
    for problem in "$@"; do ls "$KERNELBENCH_DIR/level${problem%/*}/${problem#*/}"_*.py; done
  else
    ls "$KERNELBENCH_DIR"/level[123]/*.py
  fi | xargs -P "${JOBS:-2}" -I{} sh -c '
    level=$(basename "$(dirname "$1")")
    output="data/kernelbench/$level/$(basename "$1" .py).json"
    # Results that are, or at reduced sizes seem to be, one number: what they are at full size.
    case $level/$(basename "$1") in level2/9_*|level2/23_*|level2/36_*|level2/58_*|level2/80_*|level2/83_*) full=--full-run ;; *) full= ;; esac
    "$PYTHON" -m ucutlass.capture "$1" -o "$output" --facts-limit 0.01 --runs 2 --timeout 1200 $full && echo "$output" >&2 ||
      { echo "not captured: $1" >&2; exit 1; }' sh {}
else
  echo "KERNELBENCH_DIR is not set: only examples/ is captured" >&2
fi
[ $# -eq 0 ] || exit 0
for file in examples/*/problem.py; do
  echo "${file%.py}.json" >&2
  "$PYTHON" -m ucutlass.capture "$file" -o "${file%.py}.json"
done
