"""The values of whole variants, computed by other programs too: answers.csv."""

import csv

import pytest
from support import SUPPORT

from gamesman.model.variant import variant
from gamesman.solver import reference

ROWS = list(csv.DictReader((SUPPORT / "answers.csv").read_text().splitlines()))


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["variant"])
def test_the_reference_solver_gives_the_expected_answer(row):
    v = variant(row["variant"])
    found = reference.solve(v).summary.as_json()
    flat = {**found, **found["counts"], "variant": v.name, "start": found["position"]}
    assert {column: "" if flat[column] is None else str(flat[column]) for column in row} == row
