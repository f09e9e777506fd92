#!/bin/bash
# Compares plan/smem_model.h with what CUTLASS itself computes, case by case; no GPU needed, about 5 s a case.
# Usage: smem_oracle.sh CASES_FOLDER [every]      (cases from: build/tests/oracle/smem_oracle CASES_FOLDER)
#   UCUTLASS_CUTLASS_DIR: folder with include/ and tools/util/include/; CUDA_INCLUDE: default /usr/local/cuda/include
set -u
cutlass=${UCUTLASS_CUTLASS_DIR:?set UCUTLASS_CUTLASS_DIR to a CUTLASS of 4.2 to 4.7}
cuda=${CUDA_INCLUDE:-/usr/local/cuda/include}
every=${2:-1}
count=0 wrong=0 n=0
for case in "$1"/*/; do
  n=$((n + 1))
  [ $((n % every)) -eq 0 ] || continue
  name=$(basename "$case")
  if ! (cd "$case" && g++ -std=c++17 -O0 -w -fpermissive -DNDEBUG -I. -I"$cuda" -I"$cuda/cccl" -I"$cutlass/include" \
        -I"$cutlass/tools/util/include" -ffunction-sections -fdata-sections main.cpp -o main -Wl,--gc-sections >build.log 2>&1); then
    echo "$name: does not compile, see $case/build.log"; wrong=$((wrong + 1)); continue
  fi
  seen=$("$case/main") model=$(cat "$case/model.txt")
  count=$((count + 1))
  if [ "$seen" = "$model" ]; then echo "$name: $seen"; else echo "$name: CUTLASS $seen, model $model"; wrong=$((wrong + 1)); fi
done
echo "$count cases, $wrong wrong"
[ "$wrong" -eq 0 ]
