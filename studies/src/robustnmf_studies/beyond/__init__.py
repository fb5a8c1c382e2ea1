"""Beyond the paper: nothing to tune, judged on data that no choice was made on.

``robustnmf reproduce beyond`` is this package's command.
"""
