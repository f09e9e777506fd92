"""Problems without a file: "matmul:m=4096,n=4096,k=4096,dtype=f16,fill=normal"."""

from __future__ import annotations

from .specs import ProblemError

_TORCH = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
_FILL = {"normal": "randn", "uniform": "rand"}

_MATMUL = """
import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        return a @ b{transposed}
def get_inputs():
    return [torch.{fill}({batch}{m}, {k}).to(torch.{dtype}), torch.{fill}({batch}{rows}, {columns}).to(torch.{dtype})]
def get_init_inputs():
    return []
"""


def builtin_source(text: str) -> str:
    """The Python source of a built-in problem; ProblemError says what is wrong with the text."""
    kind, _, rest = text.partition(":")
    if kind != "matmul":
        raise ProblemError(f"no built-in problem {kind}: there is matmul:m=..,n=..,k=..[,batch=..,dtype=..,fill=..,b=nk]")
    values = {"batch": "0", "dtype": "f16", "fill": "normal", "b": "kn"}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        values[key.strip()] = value.strip()
    try:
        m, n, k, batch = (int(values[key]) for key in ("m", "n", "k", "batch"))
        dtype, fill = _TORCH[values["dtype"]], _FILL[values["fill"]]
        order = {"kn": False, "nk": True}[values["b"]]
    except (KeyError, ValueError) as error:
        raise ProblemError(f"built-in problem {text}: missing or bad value {error}") from error
    if min(m, n, k) < 1 or batch < 0:
        raise ProblemError(f"built-in problem {text}: sizes are at least 1")
    return _MATMUL.format(m=m, k=k, rows=n if order else k, columns=k if order else n, dtype=dtype, fill=fill,
                          batch=f"{batch}, " if batch else "", transposed=".mT" if order else "")
