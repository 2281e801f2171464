"""``python -m harness``."""

import os
import sys

if not sys.flags.safe_path and __file__ != f"{sys.path[0]}{os.sep}harness{os.sep}__main__.py":
    # The working folder: a file numpy.py in it is not to go before the library.
    sys.path.append(sys.path.pop(0))

from harness.cli import entry

entry()
