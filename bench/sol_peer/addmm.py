import torch
from torch import nn


class Model(nn.Module):
    def forward(self, b, x, y):
        return torch.addmm(b, x, y)


def get_inputs():
    return [torch.randn(1024), torch.randn(1024, 2048), torch.randn(2048, 1024)]


def get_init_inputs():
    return []
