#!/bin/sh
# Makes all captures anew: data/kernelbench/ from a checkout of KernelBench, examples/*/problem.json from their problem.py.
#   KERNELBENCH_DIR=~/KernelBench/KernelBench PYTHON=python3 scripts/capture_all.sh
# KERNELBENCH_DIR is the folder that holds level1, level2, ...; without it only the examples are made.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
export PYTHONPATH="$PWD/python"

capture() {
  echo "$2" >&2
  "$python" -m ucutlass.capture "$1" -o "$2"
}

if [ -n "${KERNELBENCH_DIR:-}" ]; then
  for problem in 1/1 1/2 1/3 1/10 1/16 1/17 1/18 2/12 2/29 2/40 2/53 2/63 2/70 2/76 2/81 2/86 2/95; do
    level=${problem%/*}
    for file in "$KERNELBENCH_DIR/level$level/${problem#*/}"_*.py; do
      name=$(basename "$file" .py)
      mkdir -p "data/kernelbench/level$level"
      capture "$file" "data/kernelbench/level$level/$name.json"
    done
  done
else
  echo "KERNELBENCH_DIR is not set: only examples/ is captured" >&2
fi
for file in examples/*/problem.py; do
  capture "$file" "${file%.py}.json"
done
