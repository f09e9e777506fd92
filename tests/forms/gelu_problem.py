"""A linear layer and GELU, as KernelBench writes its problems."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)

    def forward(self, x):
        return nn.functional.gelu(self.up(x))


def get_inputs():
    return [torch.randn(512, 1024)]


def get_init_inputs():
    return [1024, 2048]
