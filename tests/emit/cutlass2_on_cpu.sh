#!/bin/bash
# Compiles NAME.cpp (gemm2_on_cpu, conv2_on_cpu, conv_direct_on_cpu, im2col_on_cpu, row_epilogue_on_cpu) with g++ and CUTLASS's headers, and runs it:
# cutlass2_on_cpu.sh NAME CUDA_FOLDER WORK_FOLDER
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
cutlass=${UCUTLASS_CUTLASS_DIR:-$CUTLASS_DIR}
if [ ! -d "$cutlass/include/cutlass" ]; then
  echo "skipped: no CUTLASS in $cutlass; scripts/fetch_cutlass.sh brings it"
  exit 77
fi
mkdir -p "$3"
g++ -std=c++20 -pthread -O1 -w -fpermissive -DNDEBUG -I"$ROOT/src/emit/templates" -I"$2/include" -I"$2/include/cccl" \
  -I"$cutlass/include" -I"$cutlass/tools/util/include" "$ROOT/tests/emit/$1.cpp" -o "$3/$1"
"$3/$1"
