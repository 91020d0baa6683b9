"""How many threads are used: those asked for, if the process can run as many at once."""

import pytest

from gamesman.machine import workers
from gamesman.machine.workers import Workers, cores


@pytest.mark.parametrize("asked, found", [(1, 1), (2, 2), (3, 3), (128, 3), (100_000, 3), (None, 3)])
def test_more_threads_than_processors_are_not_started(asked, found, monkeypatch):
    monkeypatch.setattr(workers, "QUOTAS", ())
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 5, 7}, raising=False)
    assert Workers(asked).threads == found


@pytest.mark.parametrize(
    "contents, found",
    [(["max 100000"], 3), (["150000 100000"], 2), (["50000", "100000"], 1), (["-1", "100000"], 3), (["900000 1"], 3)],
)
def test_a_share_of_the_processors_counts_like_so_many(contents, found, tmp_path, monkeypatch):
    files = [tmp_path / str(number) for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_text(f"{content}\n")
    monkeypatch.setattr(workers, "QUOTAS", [[str(tmp_path / "none")], [str(file) for file in files]])
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 5, 7}, raising=False)
    assert cores() == found
