import torch
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    def forward(self, x, y, z):
        return F.scaled_dot_product_attention(x, y, z, is_causal=True)


def get_inputs():
    return [torch.randn(2, 8, 1024, 64), torch.randn(2, 8, 1024, 64), torch.randn(2, 8, 1024, 64)]


def get_init_inputs():
    return []
