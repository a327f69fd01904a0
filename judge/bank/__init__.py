"""A problem's cases, drawn once for a seed: the same for every submission of a run."""

from judge.bank.coming import Coming
from judge.bank.draw import draw_bank, stand_in
from judge.bank.examples import reference
from judge.bank.pinned import check_pinned
from judge.bank.storage import dump_bank, load_bank, read_bank

__all__ = [
    "Coming",
    "check_pinned",
    "draw_bank",
    "dump_bank",
    "load_bank",
    "read_bank",
    "reference",
    "stand_in",
]
