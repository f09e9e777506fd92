#!/bin/sh
# Makes kernels.ptx from kernels.cu. Needed only after kernels.cu has changed; needs nvcc.
# The version line is lowered so that older drivers take it: nothing newer than PTX 6.5 is used.
set -eu
cd "$(dirname "$0")"
nvcc -ptx -arch=compute_75 -O3 -o kernels.tmp kernels.cu
sed -e '/^\/\//d' -e '/^$/d' -e 's/^\.version .*/.version 6.5/' kernels.tmp > kernels.ptx
rm kernels.tmp
for arch in sm_75 sm_80 sm_90 sm_100; do ptxas -arch=$arch -o /dev/null kernels.ptx; done
