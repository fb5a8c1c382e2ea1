"""Files that hold what was learned: how they are laid out, and what they may hold.

`container` lays arrays and words out as safetensors does; `fields` says, for each thing that is
stored, how it is written and what is checked when it is read; `files` puts both together. What an
estimator or a table stores is said in its own room, in these terms. Nothing in a file is ever run.
"""

from robustnmf._saving.arrays import Curves, Names, Tensor
from robustnmf._saving.fields import Field, Flag, Keys, Number, Optional, Scalar, Text, Whole
from robustnmf._saving.files import check_target, load_parts, opened, save_parts
from robustnmf._saving.records import Either, OneOf, Record, Several
from robustnmf._saving.refusal import RefusedError

__all__ = [
    "Curves",
    "Either",
    "Field",
    "Flag",
    "Keys",
    "Names",
    "Number",
    "OneOf",
    "Optional",
    "Record",
    "RefusedError",
    "Scalar",
    "Several",
    "Tensor",
    "Text",
    "Whole",
    "check_target",
    "load_parts",
    "opened",
    "save_parts",
]
