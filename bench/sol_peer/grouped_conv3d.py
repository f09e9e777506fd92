import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Conv3d(32, 64, 3, groups=4, bias=False)

    def forward(self, x):
        return self.f(x)


def get_inputs():
    return [torch.randn(2, 32, 16, 32, 32)]


def get_init_inputs():
    return []
