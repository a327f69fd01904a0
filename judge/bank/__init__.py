"""A problem's cases, drawn once for a seed: the same for every submission of a run."""

from judge.bank.draw import draw_bank, stand_in
from judge.bank.pinned import check_pinned
from judge.bank.storage import dump_bank, load_bank, read_bank

__all__ = ["check_pinned", "draw_bank", "dump_bank", "load_bank", "read_bank", "stand_in"]
