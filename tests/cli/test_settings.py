"""Which store is meant: --store, then LINEAGE_STORE, then lineage.toml, then the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from lineage_cli.settings import DEFAULT, address
from lineage_schema.errors import BadInput


def test_the_order(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (address(None).url, address(None).origin) == (DEFAULT, "the default")
    (here / "lineage.toml").write_text('store = "sqlite:///file.db"\n', encoding="utf-8")
    assert (address(None).url, address(None).origin) == ("sqlite:///file.db", "lineage.toml")
    monkeypatch.setenv("LINEAGE_STORE", "sqlite:///variable.db")
    assert (address(None).url, address(None).origin) == ("sqlite:///variable.db", "LINEAGE_STORE")
    assert (address("sqlite:///given.db").url, address("sqlite:///given.db").origin) == (
        "sqlite:///given.db",
        "--store",
    )


def test_an_empty_variable_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_STORE", "")
    assert address(None).url == DEFAULT


@pytest.mark.parametrize("text", ["store = 3\n", "other = 'x'\n", "store = \n", 'store = ""\n'])
def test_a_file_that_says_something_else_is_refused(here: Path, text: str) -> None:
    (here / "lineage.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"lineage\.toml"):
        address(None)


def test_before_and_behind_the_command(run, here: Path) -> None:
    assert run("--store", "sqlite:///a.db", "init").code == 0
    assert run("init", "--store", "sqlite:///b.db").code == 0
    assert (here / "a.db").is_file()
    assert (here / "b.db").is_file()
    assert not (here / "lineage.db").exists()
    assert run("doctor").code == 4, "it holds for one command line"


def test_doctor_says_which_store_it_is_and_why(run, stored: Path) -> None:
    assert run("doctor").out.splitlines()[0] == "url          sqlite:///lineage.db (named by the default)"
    body = run("doctor", "--json", "--store", "sqlite:///lineage.db").json()
    assert (body["store"], body["named_by"]) == ("sqlite:///lineage.db", "--store")
    assert body["pending"] == 0


def test_a_url_of_no_known_store(run) -> None:
    assert run("doctor", "--store", "ftp://x").code == 6
