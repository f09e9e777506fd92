#!/bin/sh
# Optimizes the eight level-2 problems on this machine's GPU and keeps the reports.
#   KERNELBENCH_DIR=~/KernelBench/KernelBench bench/optimize_level2.sh [FOLDER] [ATTEMPTS] [PROBLEM...]
# FOLDER holds the database, the runs and L2_<n>.txt; killed, the same command goes on where it was.
set -eu
cd "$(dirname "$0")/.."
: "${KERNELBENCH_DIR:?is the folder that holds level2/}"
folder=${1:-build/optimize_level2}
attempts=${2:-16}
[ $# -gt 2 ] && shift 2 && problems="$*" || problems="76 86 63 12 29 70 81 95"
mkdir -p "$folder"
for problem in $problems; do
  capture=$(ls data/kernelbench/level2/"${problem}"_*.json)
  source=$(ls "$KERNELBENCH_DIR"/level2/"${problem}"_*.py)
  echo "== L2/$problem" >&2
  code=0
  build/ucutlass optimize "$capture" --source "$source" --device gpu --precision f16 --attempts "$attempts" --seed 1 \
    --baselines eager,eager_tf32,compile_tf32,eager_autocast,compile_autocast --store "$folder/runs.db" > "$folder/L2_$problem.tmp" || code=$?
  if [ "$code" = 130 ]; then exit 130; fi
  { echo "# measured $(date -u +%Y-%m-%d) on $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), clocks as found"
    echo "# bench/optimize_level2.sh $folder $attempts $problem"
    cat "$folder/L2_$problem.tmp"; } > "$folder/L2_$problem.txt"
  rm -f "$folder/L2_$problem.tmp"
done
