"""``python -m jaxbandits``: the command line, where its script is not on the path."""

import sys

from jaxbandits.cli.main import main

sys.exit(main())
