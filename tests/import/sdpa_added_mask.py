"""scaled_dot_product_attention with masks that are added: of every rank, and with rows that see nothing."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v, bias, hide):
        minus = torch.zeros_like(hide).masked_fill(hide < 0, float("-inf"))  # [2, 4, 6, 1]: rows, all or nothing
        whole = F.scaled_dot_product_attention(q, k, v, attn_mask=bias + minus)
        keys = F.scaled_dot_product_attention(q, k, v, attn_mask=bias[:1], scale=0.5)
        one = F.scaled_dot_product_attention(q[:, 0], k[:, 0], v[:, 0], attn_mask=(bias + minus)[:, 0])
        seen = F.scaled_dot_product_attention(q[:, 1], k[:, 1], v[:, 1], attn_mask=hide[:, 1] < bias[:1])
        grouped = F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], attn_mask=bias + minus, enable_gqa=True)
        return whole, keys, one, seen, grouped


def get_inputs():
    return [torch.randn(2, 4, 6, 8), torch.randn(2, 4, 7, 8), torch.randn(2, 4, 7, 5), torch.randn(6, 7), torch.randn(2, 4, 6, 1)]


def get_init_inputs():
    return []
