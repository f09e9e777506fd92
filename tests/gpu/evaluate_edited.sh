#!/bin/bash
# An edited kernel as a candidate, on this machine's GPU: tests/gpu/evaluate_edited.sh UCUTLASS PROBLEM.py PROGRAM.uc [ARGUMENTS OF evaluate]
# The first edit changes nothing that is computed and must be judged right; the second multiplies nothing and must not be.
set -euo pipefail
ucutlass=$1 problem=$2 program=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$ucutlass" compile "$program" -o "$folder" --emit cu --no-build >/dev/null
kernel=$(ls "$folder"/uck_*.cu | head -1)
cp "$kernel" "$folder/first"
sed -i '1i // edited' "$kernel"
"$ucutlass" evaluate "$problem" "$kernel" "$@"
cp "$folder/first" "$kernel"
python3 - "$kernel" <<'EOF'
import re
import sys

text = open(sys.argv[1]).read()
edited, count = re.subn(r'(extern "C" __global__ [^{]*\{\n)', r"\1  if (blockIdx.x >= 0) return;\n", text)
assert count >= 1, "no device function was found"
open(sys.argv[1], "w").write(edited)
EOF
rm "$folder/first"
if "$ucutlass" evaluate "$problem" "$kernel" "$@"; then
  echo "a kernel that computes nothing was judged right"
  exit 1
fi
echo "both edits are judged as they should be"
