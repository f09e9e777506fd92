import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, y):
        return torch.mv(x, y)


def get_inputs():
    return [torch.randn(1024, 2048), torch.randn(2048)]


def get_init_inputs():
    return []
