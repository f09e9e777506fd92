#!/bin/bash
# Puts the CUTLASS headers (from PyPI's nvidia-cutlass, pinned by content) into third_party/cutlass-4.2, unless they
# are there or UCUTLASS_CUTLASS_DIR names a checkout of 4.2 to 4.7. The folder appears whole or not at all.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
readonly COST="kernels are emitted but nvcc cannot compile those that use CUTLASS"
work=""

check_own_checkout() {
  local version
  version=$(cutlass_version_of "$UCUTLASS_CUTLASS_DIR")
  case $version in
    4.[2-7].*) say "CUTLASS $version: $UCUTLASS_CUTLASS_DIR (UCUTLASS_CUTLASS_DIR)" ;;
    "") die 3 "UCUTLASS_CUTLASS_DIR=$UCUTLASS_CUTLASS_DIR holds no CUTLASS (no include/cutlass/version.h)" \
      "$COST" "name the top folder of a CUTLASS 4.2 to 4.7, or unset it to fetch 4.2" ;;
    *) die 3 "UCUTLASS_CUTLASS_DIR=$UCUTLASS_CUTLASS_DIR is CUTLASS $version, but 4.2 to 4.7 is needed" \
      "$COST" "check out a tag from v4.2.0 to v4.7.x, or unset it to fetch 4.2" ;;
  esac
}

# The half that can fail halfway works in its own folder beside the final one; a rename ends it.
fetch() {
  local pip attempt
  pip=$(find_pip)
  [ -n "$pip" ] || die 3 "pip is missing, and CUTLASS comes from PyPI" "$COST" \
    "apt-get install python3-pip; or set UCUTLASS_CUTLASS_DIR to a CUTLASS 4.2 to 4.7"
  mkdir -p "$ROOT/third_party" "$LOGS"
  work=$(mktemp -d "$ROOT/third_party/.fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  step "fetching the CUTLASS $CUTLASS_VERSION headers (6 MB)"
  for attempt in 1 2 3; do
    # pip download installs nothing, so Debian's externally-managed rule does not concern it.
    if $pip download --no-deps --only-binary :all: --require-hashes -r "$ROOT/scripts/cutlass-requirements.txt" \
      --disable-pip-version-check --no-input -d "$work/wheel" >"$LOGS/cutlass.log" 2>&1; then
      break
    fi
    if [ "$attempt" = 3 ]; then
      tail -n 3 "$LOGS/cutlass.log" >&2
      die 3 "pip could not download nvidia-cutlass (log: $LOGS/cutlass.log)" "$COST" \
        "is there a network? Run it again; or set UCUTLASS_CUTLASS_DIR to a CUTLASS 4.2 to 4.7"
    fi
    sleep $((attempt * 3))
  done
  extract
}

extract() {
  local version
  python3 - "$work" <<'PY'
import pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
top = "cutlass_library/source/"
(wheel,) = (work / "wheel").glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    for info in archive.infolist():
        name = info.filename
        license_file = name.endswith("/LICENSE.txt")
        if info.is_dir() or not (license_file or name.startswith((top + "include/", top + "tools/util/include/"))):
            continue
        target = work / "tree" / ("LICENSE.txt" if license_file else name.removeprefix(top))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(archive.read(info))
PY
  version=$(cutlass_version_of "$work/tree")
  case $version in
    "$CUTLASS_VERSION".*) ;;
    *) die 3 "the fetched headers say CUTLASS '$version', not $CUTLASS_VERSION" "$COST" "please report this" ;;
  esac
  [ -f "$work/tree/tools/util/include/cutlass/util/packed_stride.hpp" ] ||
    die 3 "the fetched CUTLASS lacks tools/util/include" "$COST" "please report this"
  rm -rf "$CUTLASS_DIR"
  mv -T "$work/tree" "$CUTLASS_DIR" || [ -n "$(cutlass_version_of "$CUTLASS_DIR")" ]  # another run was first
  say "CUTLASS $version: $CUTLASS_DIR"
}

if [ -n "${UCUTLASS_CUTLASS_DIR:-}" ]; then
  check_own_checkout
elif [ -z "$(cutlass_version_of "$CUTLASS_DIR")" ]; then
  fetch
fi
