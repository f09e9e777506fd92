import torch
from torch import nn


class Model(nn.Module):
    def forward(self, b, x, y):
        return torch.baddbmm(b, x, y)


def get_inputs():
    return [torch.randn(8, 512, 512), torch.randn(8, 512, 256), torch.randn(8, 256, 512)]


def get_init_inputs():
    return []
