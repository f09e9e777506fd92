"""y = relu(x W^T + b): the problem that the test candidates of tests/eval/cheats pretend to solve."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        return torch.relu(self.linear(x))


ROWS, FEATURES = 512, 1024


def get_inputs():
    return [torch.rand(ROWS, FEATURES) - 0.25]


def get_init_inputs():
    return [FEATURES]
