"""A linear layer on bfloat16 data with two residuals, one before and one after the activation."""
import torch
import torch.nn as nn

batch = 4096
features = 5120
outputs = 5120


class Model(nn.Module):
    def __init__(self, features, outputs):
        super().__init__()
        self.proj = nn.Linear(features, outputs, dtype=torch.bfloat16)

    def forward(self, x, first, second):
        return nn.functional.silu(self.proj(x) + first) + second


def get_inputs():
    x = torch.randn(batch, features).to(torch.bfloat16)
    first = torch.randn(batch, outputs).to(torch.bfloat16)
    second = torch.randn(batch, outputs).to(torch.bfloat16)
    return [x, first, second]


def get_init_inputs():
    return [features, outputs]
