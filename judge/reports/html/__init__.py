"""`report.html`: a class in one file that works offline.

`overview` and `sections` turn records into what the page shows (pure), `plots` draws it, `page` puts it together.
"""

from judge.reports.html.page import render

__all__ = ["render"]
