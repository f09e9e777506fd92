import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.LSTM(128, 256, 2, batch_first=True)

    def forward(self, x):
        return self.f(x)[0]


def get_inputs():
    return [torch.randn(4, 32, 128)]


def get_init_inputs():
    return []
