#!/bin/bash
# The end of `make quickstart`: what this machine can do, then the way of one problem that ships with it.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"
readonly PROBLEM=examples/mlp_gelu OUT=build/quickstart
mkdir -p "$OUT"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

step "what this machine can do"
"$BUILD/ucutlass" doctor
step "one problem that ships with it: $PROBLEM/problem.py, captured from PyTorch as problem.json"
show build/ucutlass sol "$PROBLEM/problem.json"
printf '\n$ build/ucutlass import %s --precision f16 > %s/naive.uc\n' "$PROBLEM" "$OUT"
build/ucutlass import "$PROBLEM" --precision f16 >"$OUT/naive.uc"
show cat "$OUT/naive.uc"
show build/ucutlass check "$OUT/naive.uc"
if [ -n "$(find_nvcc)" ]; then
  step "its kernels, compiled by nvcc (a minute or two; cached afterwards)"
  show build/ucutlass compile "$OUT/naive.uc" -o "$OUT"
else
  step "its kernels, as CUTLASS C++: nvcc is not here to compile them"
  show build/ucutlass compile "$OUT/naive.uc" -o "$OUT" --no-build
fi
step "done: build/ucutlass --help lists the commands"
