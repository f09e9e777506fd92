# expect: UC1016 at 5:1
# expect: UC1016 at 7:1
# expect: UC1016 at 8:1
# expect: UC1016 at 9:7
for i in range(3):
    y = f(x)
import torch
def f(x):
y = a if b else c
