#!/bin/bash
# The end of `make quickstart`: what this machine can do, then the main job.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"
step "what this machine can do"
"$BUILD/ucutlass" doctor
