#!/bin/bash
# Python packages for tests of the language's exports and of the protocol that language models speak, from PyPI, each set in its own folder:
#   scripts/language_tools.sh fetch light|heavy          unless it is there
#   scripts/language_tools.sh run light|heavy FILE ARGS  runs a test with it; exit code 77 when it is not there
# light: llguidance, Lark, jsonschema, a tokenizer, OpenAI's client (70 MB). heavy: XGrammar, which needs PyTorch
# (gigabytes); set UCUTLASS_XGRAMMAR_PYTHON to a Python that can import xgrammar to use that one.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
work=""

requirements() {
  case $1 in
    light) printf '%s\n' "$ROOT/scripts/language-requirements.txt" ;;
    heavy) printf '%s\n' "$ROOT/scripts/grammar-requirements.txt" ;;
    *) die 2 "no set called '$1'" "" "light or heavy" ;;
  esac
}

# The folder says which Python and which requirements it was made for: wheels fit one version.
folder() { printf '%s\n' "$ROOT/third_party/python-$1"; }
stamp() { printf '%s\n' "$("$2" -c 'import sys; print(sys.version)')" && cat "$(requirements "$1")"; }

# A python whose pip works, without its options.
python_with_pip() {
  local words
  words=$(find_pip)
  case $words in *" -m pip") printf '%s\n' "${words% -m pip}" ;; esac
}

is_there() {
  local python
  [ -r "$(folder "$1")/.python" ] || return 1
  python=$(cat "$(folder "$1")/.python")
  [ -x "$(command -v "$python")" ] && [ "$(stamp "$1" "$python")" = "$(cat "$(folder "$1")/.stamp")" ]
}

fetch() {
  local what=$1 python list
  list=$(requirements "$what")
  is_there "$what" && return
  python=$(python_with_pip)
  [ -n "$python" ] || die 3 "pip is missing, and these packages come from PyPI: $(grep -v '^#' "$list" | tr '\n' ' ')" \
    "exports of the language are not tried in other parsers" "apt-get install python3-pip"
  mkdir -p "$ROOT/third_party" "$LOGS"
  work=$(mktemp -d "$ROOT/third_party/.fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  step "fetching Python packages for tests of the language ($what)"
  # --target installs into the folder alone, so Debian's externally-managed rule does not concern it.
  if ! $python -m pip install --target "$work/packages" --only-binary :all: --disable-pip-version-check --no-input \
    --retries 5 -r "$list" >"$LOGS/language-$what.log" 2>&1; then
    tail -n 3 "$LOGS/language-$what.log" >&2
    die 3 "pip could not install them (log: $LOGS/language-$what.log)" \
      "exports of the language are not tried in other parsers" "is there a network? Run it again"
  fi
  printf '%s\n' "$python" >"$work/packages/.python"
  stamp "$what" "$python" >"$work/packages/.stamp"
  rm -rf "$(folder "$what")"
  mv -T "$work/packages" "$(folder "$what")"
}

run() {
  local what=$1
  shift
  if [ "$what" = heavy ] && [ -n "${UCUTLASS_XGRAMMAR_PYTHON:-}" ]; then exec "$UCUTLASS_XGRAMMAR_PYTHON" -B "$@"; fi
  if ! is_there "$what"; then
    say "skipped: its Python packages are not there; scripts/language_tools.sh fetch $what"
    exit 77
  fi
  PYTHONPATH=$(folder "$what") exec "$(cat "$(folder "$what")/.python")" -B "$@"
}

case ${1:-} in
  fetch) fetch "${2:-}" ;;
  run) shift && run "$@" ;;
  *) die 2 "what shall be done?" "" "scripts/language_tools.sh fetch light, or run light FILE" ;;
esac
