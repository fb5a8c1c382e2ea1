"""Pictures: how well `robustnmf.image.denoise_image` restores them, beside the alternatives.

``robustnmf reproduce images`` is this package's command.
"""
