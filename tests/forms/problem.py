"""A problem whose constructor needs a helper, a constant and an import; its forward pass must not come along."""
import math

import torch
import torch.nn as nn

SCALE = 4
UNUSED = 1


def spread(width):
    """Passed to the constructor alone."""
    return 1 / math.sqrt(width * SCALE)


def only_for_forward(x):
    return torch.relu(x)


class Nothing(Exception):
    pass


class Inner(nn.Module):
    """Does the forward pass of one layer."""

    def __init__(self, width, out):
        super().__init__()
        self.up = nn.Linear(width, out)
        self.reset(spread(width))

    def reset(self, bound):
        nn.init.uniform_(self.up.weight, -bound, bound)

    def helper(self, x):
        return self.up(x)

    def forward(self, x):
        """Forward pass."""
        return self.helper(x)


class Model(nn.Module):
    def __init__(self, width, out=128):
        super().__init__()
        self.net = Inner(width, out)
        self.shift = nn.Parameter(torch.randn(out))
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("mask", torch.ones(2), persistent=False)

    def forward(self, x):
        """The forward pass."""
        try:
            return only_for_forward(self.net(x) + self.shift)
        except Nothing:
            pass


def get_inputs():
    return [torch.rand(64, 64)]


def get_init_inputs():
    return [64]
