"""Files -> values. Student code is bytes here and is never imported."""
