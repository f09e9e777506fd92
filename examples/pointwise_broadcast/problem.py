"""A chain of pointwise operators with operands of rank 3, 2 and 1, and a column that broadcasts."""
import torch
import torch.nn as nn

batch = 64
length = 1024
width = 1536


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(width))

    def forward(self, x, position, gate):
        mixed = torch.maximum(x + position, x * self.gain)
        return nn.functional.silu(mixed) * torch.sigmoid(gate) - torch.abs(x) / 3.0


def get_inputs():
    return [torch.randn(batch, length, width), torch.randn(length, width), torch.randn(batch, length, 1)]


def get_init_inputs():
    return [width]
