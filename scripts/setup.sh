#!/bin/bash
# Installs what is missing, and nothing else: scripts/setup.sh [build|test|fuzz]. `build` is what the program needs,
# `fuzz` adds clang with libFuzzer, `test` adds the linters and Python packages. Says what is missing, what that costs and what to do. UCUTLASS_SKIP_APT=1 leaves Debian's
# packages alone (other systems).
set -euo pipefail
source "$(dirname "$0")/lib.sh"

readonly BUILD_PACKAGES=(g++ cmake ninja-build make ccache git ca-certificates python3
  libcli11-dev libfmt-dev nlohmann-json3-dev libexpected-dev libxxhash-dev libsqlite3-dev libeigen3-dev libcurl4-openssl-dev
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev)
readonly TEST_PACKAGES=(clang-format-19 clang-tidy-19)
readonly FUZZ_PACKAGES=(clang-19 libclang-rt-19-dev)

missing_packages() {
  local package installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  for package in "$@"; do
    grep -qxF "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" \
    >>"$LOGS/apt.log" 2>&1
}

install_packages() {
  local command="apt-get install --no-install-recommends $*"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die 3 "these Debian packages are missing: $*" "nothing can be built" \
      "you are not root and there is no sudo; have root run: $command"
  fi
  mkdir -p "$LOGS"
  : >"$LOGS/apt.log"
  step "installing $# Debian packages: $*"
  apt update || warn "apt-get update failed; trying with the package lists that are there"
  if ! apt install -y --no-install-recommends "$@"; then
    tail -n 5 "$LOGS/apt.log" >&2
    die 3 "apt-get could not install them (log: $LOGS/apt.log)" "nothing can be built" \
      "is there a network, and Debian 12's main, updates and security in the sources? Then run it again, or by hand: $command"
  fi
}

set_up_packages() {
  local wanted=("${BUILD_PACKAGES[@]}") missing
  [ "$1" != test ] || wanted+=("${TEST_PACKAGES[@]}")
  [ "$1" != fuzz ] || wanted+=("${FUZZ_PACKAGES[@]}")
  if [ -z "${UCUTLASS_CUTLASS_DIR:-}" ] && [ -z "$(cutlass_version_of "$CUTLASS_DIR")" ] && [ -z "$(find_pip)" ]; then
    wanted+=(python3-pip)
  fi
  if [ "$1" = test ] && [ ! -d "$ROOT/third_party/python-light" ] && [ -z "$(find_pip)" ]; then
    wanted+=(python3-pip)
  fi
  [ "${UCUTLASS_SKIP_APT:-0}" != 1 ] || return 0
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    die 3 "apt-get is missing: this set-up knows Debian 12 and Ubuntu 24.04" "nothing is installed for you" \
      "install the like of: ${wanted[*]}; then set UCUTLASS_SKIP_APT=1"
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
}

set_up_cutlass() {
  local nvcc=$1
  if "$ROOT/scripts/fetch_cutlass.sh"; then return; fi
  # A wrong UCUTLASS_CUTLASS_DIR was asked for; without nvcc no header is read, so all else goes on.
  if [ -n "$nvcc" ] || [ -n "${UCUTLASS_CUTLASS_DIR:-}" ]; then exit 3; fi
  say "note: going on without it, since there is no nvcc to use it"
}

what=${1:-test}
case $what in build | test | fuzz) ;; *) die 2 "no set-up called '$what'" "" "scripts/setup.sh build, test or fuzz" ;; esac
set_up_packages "$what"
nvcc=$(find_nvcc)
if [ -z "$nvcc" ]; then
  warn "nvcc is not installed" "kernels are emitted and their times modelled, but none is compiled" \
    "nothing, if that is enough; else install the CUDA toolkit 13 (or set UCUTLASS_NVCC) and run make again"
fi
set_up_cutlass "$nvcc"
[ "$what" != test ] || "$ROOT/scripts/language_tools.sh" fetch light
