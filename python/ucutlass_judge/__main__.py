"""python -m ucutlass_judge --device cuda:0|cpu|fake --timing-library PATH --control-fd N: started by ucutlass."""

from __future__ import annotations

import argparse
import sys

from .judge import Judge
from .protocol import Channel, Closed


def main() -> int:
    parser = argparse.ArgumentParser(prog="ucutlass_judge", description="Started by ucutlass; speaks ucutlass.eval/1.")
    parser.add_argument("--device", required=True, help="cuda:N, cpu (torch on the host), fake (no torch) or fake-cuda (that on a test driver)")
    parser.add_argument("--timing-library", required=True)
    parser.add_argument("--control-fd", type=int, required=True)
    options = parser.parse_args()
    try:
        Judge(Channel(options.control_fd), options.device, options.timing_library).serve()
    except Closed:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
