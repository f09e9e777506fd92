"""The feed-forward block of a transformer: two linear layers with a tanh GELU between, and the input added."""
import torch
import torch.nn as nn

batch = 16
length = 256
features = 2048
hidden = 8192


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.activation = nn.GELU(approximate="tanh")
        self.down = nn.Linear(hidden, features, bias=False)

    def forward(self, x):
        return x + self.down(self.activation(self.up(x)))


def get_inputs():
    return [torch.randn(batch, length, features)]


def get_init_inputs():
    return [features, hidden]
