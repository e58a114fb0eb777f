"""Speed of ours beside the reference client and the physical floor, in one run.

`python -m benchmarks [--quick] [--json FILE] [subject …]`. Every side works in
processes of its own: the reference client runs with its own interpreter, over
its command line and its public import surface.
"""
