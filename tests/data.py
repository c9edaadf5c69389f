"""Where the data of the papers are, for tests that compare with them."""

from pathlib import Path

import pytest

# Beside the repository, not in it: their licences are their own.
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"the data are not part of this repository: no {DATA}"
)
