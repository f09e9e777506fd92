# Shared by the scripts: where things are, and messages of one form. Sourced, not run.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${UCUTLASS_BUILD_DIR:-$ROOT/build}
LOGS=$BUILD/logs
CUTLASS_VERSION=4.2
CUTLASS_DIR=$ROOT/third_party/cutlass-$CUTLASS_VERSION

say() { printf '%s\n' "$*" >&2; }
step() { printf '== %s\n' "$*" >&2; }
# die CODE MESSAGE COST FIX: what is missing, what that costs, what to do.
die() {
  local code=$1 message=$2 cost=$3 fix=$4
  say "error: $message"
  [ -z "$cost" ] || say "  it costs: $cost"
  [ -z "$fix" ] || say "  to do:    $fix"
  exit "$code"
}
warn() {
  say "note: $1"
  [ -z "${2:-}" ] || say "  it costs: $2"
  [ -z "${3:-}" ] || say "  to do:    $3"
}

# A python that can run pip, as words; nothing when there is none. A python in front in PATH may lack pip
# while Debian's own has it.
find_pip() {
  local candidate
  for candidate in "${UCUTLASS_PYTHON:-python3}" /usr/bin/python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -m pip --version >/dev/null 2>&1; then
      printf '%s -m pip\n' "$candidate"
      return
    fi
  done
  for candidate in pip3 pip; do
    if command -v "$candidate" >/dev/null && "$candidate" --version >/dev/null 2>&1; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

# nvcc, where the program looks for it too (src/platform/toolchain.h).
find_nvcc() {
  local candidate
  for candidate in "${UCUTLASS_NVCC:-}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "${CUDA_PATH:+$CUDA_PATH/bin/nvcc}" \
    nvcc /usr/local/cuda/bin/nvcc; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null; then
      command -v "$candidate"
      return
    fi
  done
}

# "4.2.0" of the CUTLASS in folder $1; nothing when it holds none.
cutlass_version_of() {
  local file=$1/include/cutlass/version.h
  [ -r "$file" ] || return 0
  awk '$1 == "#define" && $2 ~ /^CUTLASS_(MAJOR|MINOR|PATCH)$/ { v[$2] = $3 }
       END { if ("CUTLASS_MAJOR" in v) print v["CUTLASS_MAJOR"] "." v["CUTLASS_MINOR"] "." v["CUTLASS_PATCH"] }' "$file"
}
