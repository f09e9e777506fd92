import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Bilinear(64, 96, 128)

    def forward(self, x, y):
        return self.f(x, y)


def get_inputs():
    return [torch.randn(512, 64), torch.randn(512, 96)]


def get_init_inputs():
    return []
