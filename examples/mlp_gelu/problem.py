"""One layer of an MLP: linear with bias, then GELU."""
import torch
import torch.nn as nn

batch = 2048
features = 4096
hidden = 6144


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)

    def forward(self, x):
        return nn.functional.gelu(self.up(x))


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return [features, hidden]
