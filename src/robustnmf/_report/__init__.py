"""Reports: one HTML file that needs nothing but a browser, in one style for all of them."""

from robustnmf._report.page import Section, page
from robustnmf._report.pieces import embedded, facts, table

__all__ = ["Section", "embedded", "facts", "page", "table"]
