#!/bin/bash
# Runs `make quickstart` and `make test` as a new user would, in an empty Debian 12 made by debootstrap:
#   scripts/test_fresh_debian.sh [--cuda] [--keep] [--commands "CMD; CMD"] [FOLDER]
# Root only. FOLDER (default: a new one below /var/tmp) gets root/ (removed at the end unless --keep) and
# transcript.txt. --cuda shows the machine's CUDA toolkit to the new machine. The tree is HEAD's, without .git.
# The new machine gets this machine's apt sources, pip configuration, certificates and proxy variables.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

cuda=0 keep=0 folder="" commands="make quickstart; make quickstart; make test; make test"
while [ $# -gt 0 ]; do
  case $1 in
    --cuda) cuda=1 ;;
    --keep) keep=1 ;;
    --commands) commands=$2 && shift ;;
    -*) die 2 "no option $1" "" "see the head of $0" ;;
    *) folder=$1 ;;
  esac
  shift
done
[ "$(id -u)" = 0 ] || die 3 "debootstrap needs root" "this test cannot run" "sudo $0"
command -v debootstrap >/dev/null || die 3 "debootstrap is missing" "this test cannot run" "apt-get install debootstrap"
[ -n "$folder" ] || folder=$(mktemp -d /var/tmp/fresh-debian.XXXXXX)
case $(realpath -m "$folder")/ in "$ROOT"/*) die 2 "$folder lies in the repository" "" "name a folder outside" ;; esac
new=$folder/root
mounts=()

cleanup() {
  local mount
  for mount in "${mounts[@]}"; do umount -l "$mount" || true; done
  # Never remove through a mount that is still there.
  if [ "$keep" = 0 ] && ! grep -q " $new/" /proc/mounts; then rm -rf "$new"; fi
}
trap cleanup EXIT
trap 'exit 130' INT TERM

mount_in() {
  mkdir -p "$new$2"
  mount "${@:3}" "$1" "$new$2"
  mounts=("$new$2" "${mounts[@]}")
}

copy_in() {
  local path
  for path in "$@"; do
    if [ -e "$path" ]; then (cd / && tar -chf - "${path#/}") | tar -C "$new" -xf -; fi
  done
}

make_root() {
  local mirror
  mirror=$(apt-get indextargets --format '$(RELEASE) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
    awk '$2 == "bookworm" { print $NF; exit }')
  [ -n "$mirror" ] || die 3 "no source of bookworm is configured in apt" "this test cannot run" "apt-get update"
  step "an empty Debian 12 in $new"
  mkdir -p "$new"
  debootstrap --variant=minbase --include=ca-certificates,sudo bookworm "$new" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
    die 1 "debootstrap failed (log: $folder/debootstrap.log)" "" ""
  rm -rf "$new/etc/apt/sources.list"
  copy_in /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/auth.conf.d /etc/apt/keyrings \
    /etc/apt/trusted.gpg.d /etc/apt/preferences.d /etc/pip.conf /etc/resolv.conf /etc/hosts \
    /usr/local/share/ca-certificates /etc/ssl/certs/ca-certificates.crt
  mount_in proc /proc -t proc
  mount_in /dev /dev --rbind --make-rslave
  if [ "$cuda" = 1 ]; then mount_in "$(realpath /usr/local/cuda)" /usr/local/cuda --bind -o ro; fi
  chroot "$new" useradd --create-home --shell /bin/bash dev
  echo 'dev ALL=(ALL) NOPASSWD: ALL
Defaults env_keep += "http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY"' >"$new/etc/sudoers.d/dev"
  mkdir -p "$new/home/dev/ucutlass"
  git -C "$ROOT" archive HEAD | tar -C "$new/home/dev/ucutlass" -xf -
  chroot "$new" chown -R dev:dev /home/dev/ucutlass
}

# What the user types; the variables that pip and proxies need come along.
as_new_user() {
  local keep_variables
  keep_variables=$(compgen -e | grep -E '^(PIP_.*|[a-z]+_proxy|[A-Z]+_PROXY)$' | grep -v '^PIP_FIND_LINKS$' | paste -sd, || true)
  chroot "$new" su --login --whitelist-environment="$keep_variables" dev -c "cd ucutlass && $1"
}

run_and_time() {
  local started=$SECONDS code=0
  printf '\n$ %s\n' "$1"
  as_new_user "$1" 2>&1 || code=$?
  printf -- '-- exit code %d after %d min %02d s\n' "$code" $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
  return "$code"
}

make_root
{
  echo "Debian $(cat "$new/etc/debian_version"), $(nproc) cores, commit $(git -C "$ROOT" rev-parse --short HEAD), CUDA toolkit: $cuda"
  run_and_time "sudo apt-get -qq update && sudo DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends git make >/dev/null 2>&1"
  IFS=';'
  for command in $commands; do run_and_time "$(xargs <<<"$command")"; done
} 2>&1 | tee "$folder/transcript.txt"
say "transcript: $folder/transcript.txt"
