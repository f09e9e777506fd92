#!/bin/bash
# Fuzzes what reads strangers' text and files: scripts/fuzz.sh [SECONDS a target] [targets]. What crashes stays in
# $BUILD-fuzz/found/<target>/. scripts/fuzz.sh keep [targets] writes a few inputs that reach as much code as all seen so
# far to tests/fuzz/corpus, which `make test` replays. What a fault left is copied there by hand, under a name.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

readonly FUZZ=$BUILD-fuzz
CLANG=$(command -v clang++-19 || command -v clang++ || true)
[ -n "$CLANG" ] || die 3 "clang is missing, and libFuzzer comes with it" "nothing is fuzzed; the kept corpus is replayed by make test" \
  "apt-get install --no-install-recommends clang-19 libclang-rt-19-dev"

seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(program graph npy answer)

if [ ! -f "$FUZZ/build.ninja" ]; then
  mkdir -p "$FUZZ"
  cmake -G Ninja -B "$FUZZ" -S "$ROOT" -DUC_FUZZ=ON -DCMAKE_CXX_COMPILER="$CLANG" -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
    >"$FUZZ/configure.log" 2>&1 || { cat "$FUZZ/configure.log" >&2; die 1 "cmake could not configure $FUZZ" "" "\`make setup\` installs what it looks for"; }
fi
ninja -C "$FUZZ" --quiet fuzzers
python3 "$ROOT/tests/fuzz/seeds.py" "$FUZZ/seeds"

export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=0 UBSAN_OPTIONS=print_stacktrace=1
if [ "$seconds" = keep ]; then
  for target in "${targets[@]}"; do
    kept=$FUZZ/kept/$target
    rm -rf "$kept" && mkdir -p "$kept"
    "$FUZZ/tests/fuzz/fuzz_$target" -set_cover_merge=1 "$kept" "$ROOT/tests/fuzz/corpus/$target" "$FUZZ/seen/$target" \
      >"$FUZZ/merge_$target.log" 2>&1 || { tail -n 20 "$FUZZ/merge_$target.log" >&2; exit 1; }
    # Named inputs are what faults left: they stay, whatever the coverage.
    find "$ROOT/tests/fuzz/corpus/$target" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
    # Up to 300 of them, of all sizes alike.
    find "$kept" -type f -printf '%s %p\n' | sort -n |
      awk '{ line[NR] = $2 } END { step = NR > 300 ? NR / 300 : 1; for (at = 1; at <= NR; at += step) print line[int(at)] }' |
      xargs -r cp -t "$ROOT/tests/fuzz/corpus/$target"
    step "$target: $(find "$ROOT/tests/fuzz/corpus/$target" -type f | wc -l) inputs kept"
  done
  exit 0
fi

for target in "${targets[@]}"; do
  mkdir -p "$FUZZ/seen/$target" "$FUZZ/found/$target" "$ROOT/tests/fuzz/corpus/$target"
  step "fuzzing $target for $seconds s (log: $FUZZ/$target.log)"
  # One input may take 10 s and 2 GB: more is a fault too.
  if ! nice -n 10 "$FUZZ/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
    -max_len=16384 -print_final_stats=1 -artifact_prefix="$FUZZ/found/$target/" \
    "$FUZZ/seen/$target" "$ROOT/tests/fuzz/corpus/$target" "$FUZZ/seeds/$target" >"$FUZZ/$target.log" 2>&1; then
    tail -n 60 "$FUZZ/$target.log" >&2
    die 1 "fuzz target $target found a fault; its input is in $FUZZ/found/$target" "" \
      "mend it, and copy the input to tests/fuzz/corpus/$target under a name that says what it was"
  fi
  grep -E '^(stat::number_of_executed_units|stat::average_exec_per_sec|stat::peak_rss_mb|#[0-9]+.*DONE)' "$FUZZ/$target.log"
done
