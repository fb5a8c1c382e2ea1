"""The paper's experiments: computed, written down, drawn, judged and reported.

``robustnmf reproduce`` is this package's command.
"""
