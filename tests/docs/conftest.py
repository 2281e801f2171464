"""The modules of the site's hook can be imported."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "docs" / "_hooks"))
