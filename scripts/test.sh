#!/bin/bash
# Runs ctest: scripts/test.sh [cpu|nvcc|gpu|grammar]. The last lines are ctest's own.
#   cpu   everything that `make test` runs: no GPU test, and of the nvcc tests only a chosen few
#   nvcc  all tests that compile kernels with nvcc (label nvcc and nvcc-matrix), one compilation at a time
#   gpu   the tests that run kernels
#   grammar  the exported grammar in XGrammar
set -euo pipefail
source "$(dirname "$0")/lib.sh"

case ${1:-cpu} in
  cpu) choice=(-LE '^(gpu|nvcc-matrix|grammar)$') ;;
  nvcc)
    if [ -z "$(find_nvcc)" ]; then
      say "skipped: nvcc is not installed, so no kernel can be compiled (install the CUDA toolkit 13, or set UCUTLASS_NVCC)"
      exit 0
    fi
    choice=(-L '^nvcc(-matrix)?$')
    ;;
  gpu)
    if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
      say "skipped: no NVIDIA GPU here, so no GPU test can run (they need compute capability 9.0: H100, H200)"
      exit 0
    fi
    choice=(-L '^gpu$')
    ;;
  grammar)
    [ -n "${UCUTLASS_XGRAMMAR_PYTHON:-}" ] || "$ROOT/scripts/language_tools.sh" fetch heavy
    choice=(-L '^grammar$')
    ;;
  *) die 2 "no kind of test called '$1'" "" "cpu, nvcc, gpu or grammar" ;;
esac

# One line a test; those that say only that a test starts are left out.
ctest --test-dir "$BUILD" "${choice[@]}" --output-on-failure --no-tests=error --timeout 600 -j "$(nproc)" |
  grep --line-buffered -vE '^ *Start +[0-9]+: '
