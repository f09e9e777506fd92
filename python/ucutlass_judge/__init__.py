"""The judge: the trusted side of an evaluation. It loads a problem, makes inputs and reference outputs, measures
PyTorch, owns every buffer that a candidate sees, and decides. It is started by ucutlass and speaks ucutlass.eval/1
(docs/evaluation.md) on an inherited descriptor."""

PROTOCOL = "ucutlass.eval/1"
