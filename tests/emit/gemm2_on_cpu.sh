#!/bin/bash
# Compiles gemm2_on_cpu.cpp with g++ and CUTLASS's headers, and runs it: gemm2_on_cpu.sh CUDA_FOLDER WORK_FOLDER
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
cutlass=${UCUTLASS_CUTLASS_DIR:-$CUTLASS_DIR}
if [ ! -d "$cutlass/include/cutlass" ]; then
  echo "skipped: no CUTLASS in $cutlass; scripts/fetch_cutlass.sh brings it"
  exit 77
fi
mkdir -p "$2"
g++ -std=c++17 -O1 -w -fpermissive -DNDEBUG -I"$ROOT/src/emit/templates" -I"$1/include" -I"$1/include/cccl" \
  -I"$cutlass/include" -I"$cutlass/tools/util/include" "$ROOT/tests/emit/gemm2_on_cpu.cpp" -o "$2/gemm2_on_cpu"
"$2/gemm2_on_cpu"
