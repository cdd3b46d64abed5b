"""The verbs that the study adds to the command ``atfnb``; ``pyproject.toml`` names them as entry points."""
