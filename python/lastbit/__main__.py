"""The command ``lastbit``, as ``python -m lastbit`` too: the same as the program that cargo builds."""

import signal
import sys

from lastbit._lastbit import _command


def main() -> int:
    """Run the command with the arguments of this process, and return its exit code."""
    # Python's handler waits for Python code to go on. The command has a handler of its own where Ctrl-C must not just end it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _command(["lastbit", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
