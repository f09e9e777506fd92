#!/bin/bash
# Configures once and builds: scripts/build.sh [ninja targets]. Without targets: the programs only, no tests.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

# Clones of one commit in different folders share compiled objects.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
mkdir -p "$BUILD"
if [ ! -f "$BUILD/build.ninja" ]; then
  log=$BUILD/configure.log
  cmake -G Ninja -B "$BUILD" -S "$ROOT" >"$log" 2>&1 || {
    cat "$log" >&2
    die 1 "cmake could not configure the build (log: $log)" "" "\`make setup\` installs what it looks for"
  }
fi
[ $# -gt 0 ] || set -- programs
exec ninja -C "$BUILD" --quiet "$@"
