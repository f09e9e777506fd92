#!/bin/bash
# tests/emit/compile.sh UCUTLASS PROGRAM.uc FOLDER: the program compiles, its library exports the ABI and links nothing of CUDA,
# and a ten-line C++ main builds against its header with a plain host compiler.
set -euo pipefail
ucutlass=$1 program=$2 folder=$3
rm -rf "$folder"
"$ucutlass" compile "$program" -o "$folder" --emit header,cu,torch,standalone
cd "$folder"
library=$(ls ucutlass_*.so)
nm -D --defined-only "$library" | grep -q ' T ucutlass_get_api$' || { echo "$library does not export ucutlass_get_api"; exit 1; }
if readelf -d "$library" | grep -E 'NEEDED.*(cuda|cudart|torch)'; then echo "$library links what it must not"; exit 1; fi
stem=${library%.so}
cat >main.cpp <<EOF
#include "$stem.h"
int main() {
  $stem::Program program;
  if (!program.open("./$library", 0)) { std::puts(program.error()); return 1; }
  std::puts(program.manifest());
}
EOF
g++ -std=c++20 -Wall -Wextra -Werror main.cpp -o main -ldl
# Without a GPU opening must fail with a message, not crash; with one it prints the manifest.
if ./main >said.txt; then grep -q ucutlass.manifest/1 said.txt; else test -s said.txt; fi
python3 -c "import ast; ast.parse(open('$stem.py').read())"
