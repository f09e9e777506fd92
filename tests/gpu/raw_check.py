"""`ucutlass optimize --raw` on a GPU: CUDA of two authors, one right and one that leaves work out, through nvcc, runner and judge.
    python3 tests/gpu/raw_check.py        (UCUTLASS: the program; needs a GPU, nvcc, CUTLASS and torch)"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
RIGHT = """```cuda
#include <cuda_runtime.h>
__global__ void everything(const float* x, const float* position, const float* gate, const float* gain, float* y) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, batch = blockIdx.z;
  if (column >= 1536) return;
  const size_t in_plane = (size_t)row * 1536 + column, at = (size_t)batch * 1024 * 1536 + in_plane;
  const float v = x[at], m = fmaxf(v + position[in_plane], v * gain[column]);
  const float silu = m / (1.0f + expf(-m)), g = 1.0f / (1.0f + expf(-gate[batch * 1024 + row]));
  y[at] = silu * g - fabsf(v) / 3.0f;
}
extern "C" size_t uc_workspace_bytes() { return 0; }
extern "C" int uc_run(void* const* inputs, void* const* params, void* const* outputs, void*, cudaStream_t stream) {
  everything<<<dim3(6, 1024, 64), 256, 0, stream>>>((const float*)inputs[0], (const float*)inputs[1], (const float*)inputs[2],
                                                    (const float*)params[0], (float*)outputs[0]);
  return cudaGetLastError();
}
```
"""
WRONG = RIGHT.replace("silu * g - fabsf(v) / 3.0f", "silu * g")
BROKEN = RIGHT.replace("fmaxf(", "no_such_function(")


def main():
    with tempfile.TemporaryDirectory() as folder:
        talk = pathlib.Path(folder) / "talk"
        talk.mkdir()
        answers = [BROKEN, WRONG, RIGHT]
        begin = ["optimize", ROOT / "examples/pointwise_broadcast", "--device", "gpu", "--raw", "--proposer", "manual", "--controller", "mi",
                 "--attempts", "4", "--exchange", talk, "--run-dir", f"{folder}/run", "--baselines", "eager,eager_tf32"]
        environment = os.environ | {"XDG_DATA_HOME": f"{folder}/data"}
        program = os.environ.get("UCUTLASS", ROOT / "build/ucutlass")
        args = begin
        for number in range(1, len(answers) + 2):
            done = subprocess.run([program, *map(str, args)], capture_output=True, text=True, env=environment)
            sys.stderr.write(done.stderr)
            if done.returncode != 130:
                break
            (talk / f"{number:03}-write.answer.md").write_text(answers[number - 1])
            args = ["optimize", "--resume", "last"]
        report = json.loads((pathlib.Path(folder) / "run/report.json").read_text())
    labels = [(a["label"], a["reason"]) for a in report["attempts"] if a["rewrite"] == "improve"]
    print(json.dumps({"labels": labels, "best": report["best"] and {k: report["best"][k] for k in ("attempt", "us", "kind", "label")}}, indent=2))
    wanted = [("broken", "build_failed"), ("incorrect", "wrong_result"), ("ok", "")]
    return 0 if [tuple(label) for label in labels] == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
