"""Where the data sets are that the package does not contain."""

import os
from pathlib import Path

FOLDER = "JAXBANDITS_DATA"  # environment variable: a folder with the files


def data_file(name: str, needed: bool = True) -> Path | None:
    """A data file, if the user has named a folder for them.

    Args:
      name: of the file.
      needed: whether a folder without it is a mistake; else there is no file.

    Raises:
      ValueError: if the folder is named and does not hold a file that is needed.
    """
    folder = os.environ.get(FOLDER)
    if not folder:
        return None
    path = Path(folder) / name
    if not path.is_file():
        if not needed:
            return None
        raise ValueError(f"{FOLDER}: there is no {path}")
    return path
