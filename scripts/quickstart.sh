#!/bin/bash
# The end of `make quickstart`: what this machine can do, then the main job on a problem that ships with it. On a GPU
# times are measured; without one they are modelled, and the best program is compiled where nvcc is installed.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"
readonly PROBLEM=examples/mlp_gelu OUT=$BUILD/quickstart
mkdir -p "$OUT"

step "what this machine can do"
"$BUILD/ucutlass" doctor
step "the main job: make $PROBLEM/problem.py faster (captured from PyTorch as problem.json)"
build=()
[ -n "$(find_nvcc)" ] || build=(--no-build)
set -x
"$BUILD/ucutlass" optimize "$PROBLEM" --device auto --precision f16 --attempts 12 --fresh \
  --run-dir "$OUT" --store "$OUT/runs.db" "${build[@]}"
{ set +x; } 2>/dev/null
step "done. Next: build/ucutlass --help; build/ucutlass optimize YOUR_PROBLEM.py (needs torch)"
