#!/bin/bash
# Random programs of the whole space of knobs on this machine's GPU: every fifth of 400 accepted ones, built by nvcc, run, and held against the
# CPU executor. tests/gpu/random_programs.sh SEED [ARGUMENTS OF run_programs.py]; SEED as in bench/results/oracle_random.json. Needs the
# targets ucutlass and uc_oracle.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
seed=$1
shift
work=${UCUTLASS_RANDOM_WORK:-$(mktemp -d)}
"${UCUTLASS_BUILD_DIR:-$root/build}/tests/oracle/uc_oracle" random "$work" "$seed" 400 40
mapfile -t programs < <(find "$work" -name 'r*.uc' | sort | awk 'NR % 5 == 1')
echo "${#programs[@]} programs in $work"
python3 "$root/tests/gpu/run_programs.py" --work "$work/run" "$@" "${programs[@]}"
