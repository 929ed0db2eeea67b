"""Only a few tests of real servers run once more."""

from __future__ import annotations

import pytest

from tests.support.once_more import AGAIN, MAY_FAIL, name_them

SERVERS = [f"tests/e2e/test_a.py::test[{number} of many]" for number in range(MAY_FAIL + 1)]


@pytest.mark.parametrize(
    ("failed", "named"),
    [
        ([SERVERS[0], "tests/integration/b/test_b.py::test", SERVERS[0]], 2),
        (SERVERS[:MAY_FAIL], MAY_FAIL),
        (SERVERS, 0),
        ([SERVERS[0], "tests/unit/test_c.py::test"], 0),
        (["tests/infra/test_d.py::test"], 0),
        ([], 0),
    ],
)
def test_a_few_of_real_servers_are_named_each_once_and_else_none(monkeypatch, tmp_path, failed, named):
    path = tmp_path / "again"
    path.write_text("")
    monkeypatch.setenv(AGAIN, str(path))
    name_them(failed)
    found = path.read_text().splitlines()
    assert found == list(dict.fromkeys(failed))[:named]
    assert len(found) == named


def test_nothing_is_written_where_nobody_asks(monkeypatch, tmp_path):
    monkeypatch.delenv(AGAIN, raising=False)
    monkeypatch.chdir(tmp_path)
    name_them(SERVERS[:1])
    assert list(tmp_path.iterdir()) == []
