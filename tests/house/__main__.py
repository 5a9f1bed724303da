"""Prints the measures of the sources: `python tests/house`; exits with 1 where one fell back."""

import sys

from measures import MEASURES, table

if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
    sys.exit(0 if all(one.holds() for one in MEASURES) else 1)
