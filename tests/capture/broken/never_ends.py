import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        while True:
            self.training = True


def get_inputs():
    return []
