import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(1024, 1024, bias=False)

    def forward(self, x):
        return self.f(torch.relu(self.f(x)))


def get_inputs():
    return [torch.randn(64, 1024)]


def get_init_inputs():
    return []
