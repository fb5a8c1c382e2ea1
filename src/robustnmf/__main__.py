"""The command line as ``python -m robustnmf``."""

from robustnmf.cli import main

if __name__ == "__main__":
    main()
