# SPDX-License-Identifier: Apache-2.0
"""What people need in their hands: a label for each machine and switch, a sheet for each switch, the list of cables.

`book` has the facts, `paper` the grids of label paper; `tag`, `sheet` and `listing` lay them out on pages, `text`
writes them for a terminal, and `products` makes the files.
"""

from flathood.labels.book import Book, make_book
from flathood.labels.paper import PAPERS, Paper, paper_of
from flathood.labels.products import FORMATS, OFFICE, Options, Products, differing, products, save, usual_folder

__all__ = [
    "FORMATS",
    "OFFICE",
    "PAPERS",
    "Book",
    "Options",
    "Paper",
    "Products",
    "differing",
    "make_book",
    "paper_of",
    "products",
    "save",
    "usual_folder",
]
