"""Texts of a file at the door: older encodings are found out, and what cannot be shown is replaced and told."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from diffoci.data.sources import resolved
from diffoci.data.tables._encodings import encodings_to_try
from diffoci.data.tables.table import load_table
from tests.data.test_table import as_csv, loaded, people, refusal

GERMAN = ["Zürich", "Köln", "Größe", "Ärzte", "Übung", "schön"]
FRENCH = ["Orléans", "façade", "Hélène", "Nîmes", "à côté", "Noël"]
SPANISH = ["Málaga", "España", "Córdoba", "Cádiz", "Ibáñez", "León"]
QUOTED = ["don’t", "“quoted”", "A – B", "100 €", "it’s", "l’été"]


def guessed(text: str, encoding: str) -> str:
    content = text.encode(encoding)
    return list(encodings_to_try(content, content, None))[1 if encoding in ("cp850", "cp1252", "latin-1") else 0]


@pytest.mark.parametrize("words", [GERMAN, FRENCH, SPANISH], ids=["German", "French", "Spanish"])
@pytest.mark.parametrize("encoding", ["cp850", "cp1252"])
def test_item_6_the_older_encodings_are_told_apart(words: list[str], encoding: str) -> None:
    assert guessed("city,x\n" + "".join(f"{word},1\n" for word in words), encoding) == encoding


def test_item_6_typographic_signs_are_no_letters_of_another_encoding() -> None:
    assert [word for word in QUOTED if guessed(f"name,x\n{word},1\n", "cp1252") != "cp1252"] == []


@pytest.mark.parametrize("encoding", ["cp850", "cp1252", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_item_6_a_file_in_any_of_them_gives_the_same_data(encoding: str, tmp_path: Path) -> None:
    frame = people().replace({"city": {"Selma": "Zürich", "Mobile": "Köln"}}).rename(columns={"income": "Größe"})
    path = tmp_path / "people.csv"
    path.write_bytes(as_csv(frame).decode().encode(encoding))
    data = load_table(path, label="hired", sensitive="sex")
    assert data.sha256 == loaded(frame).sha256
    assert list(data.features) == ["Größe", "city"]


def test_item_6_signs_that_cannot_be_shown_are_replaced_and_told() -> None:
    frame = people().replace({"city": {"Selma": "Sel\x81ma"}, "sex": {"F": "F\x1b[2J"}})
    data = loaded(frame.rename(columns={"income": "in\x85come"}))
    assert set(data.features["city"].cat.categories) == {"Mobile", "Sel�ma"}
    assert set(data.sensitive["sex"].cat.categories) == {"F�[2J", "M"}
    assert list(data.features) == ["in�come", "city"]
    assert "Signs of 'city' that cannot be shown are replaced by �." in data.notes


def test_item_6_groups_that_are_shown_alike_are_one() -> None:
    frame = people()
    frame["city"] = [("a\x01", "a\x02", "b")[k % 3] for k in range(len(frame))]
    assert list(loaded(frame).features["city"].cat.categories) == ["a�", "b"]


def test_item_6_texts_of_parquet_too(tmp_path: Path) -> None:
    frame = people().replace({"city": {"Selma": "Sel\x81ma"}})
    frame["size"] = pd.Categorical(["s\x01", "l"] * 20, categories=["s\x01", "l"], ordered=True)
    path = tmp_path / "people.parquet"
    pa.parquet.write_table(pa.Table.from_pandas(frame), path)
    data = load_table(path, label="hired", sensitive="sex")
    assert set(data.features["city"].cat.categories) == {"Mobile", "Sel�ma"}
    assert set(data.features["size"].cat.categories) == {"s�", "l"}


def test_item_6_what_no_sentence_has_room_for_is_refused() -> None:
    long = "x" * 501
    assert refusal(as_csv(people().rename(columns={"city": long}))) == (
        f"The name of column 2, '{'x' * 40}…', has 501 letters; at most 500 can be shown: shorten it."
    )
    frame = people(age=range(40)).replace({"city": {"Selma": long}, "sex": {"F": long}})
    assert refusal(as_csv(frame)) == (
        "The sensitive attribute 'sex' has a value of 501 letters; at most 500 can be shown: shorten it."
    )
    notes = loaded(frame, sensitive="hired", label="income", positive=">0").notes
    assert "Left out: 'city' has a text of 501 letters, as free text has." in notes


@pytest.mark.parametrize("encoding", ["rot13", "base64", "no such", "undefined", "a\0b"])
def test_item_6_what_is_no_encoding_of_text_is_a_sentence(encoding: str) -> None:
    assert "is not an encoding of text; try utf-8, cp1252 or cp850." in refusal(as_csv(people()), encoding=encoding)


def test_item_6_half_of_utf_16_is_a_sentence() -> None:
    content = b"\xff\xfe" + as_csv(people()).decode().encode("utf-16-le") + b"\x00\xd8\x41\x00"
    assert refusal(content) == "The file begins like utf-16 and is not text in it; save it as CSV in UTF-8."


@pytest.mark.parametrize("name", ["a\x1bb.csv", "a\nb.csv", "a\udcffb.csv"])
def test_item_6_a_file_whose_name_cannot_be_shown_is_refused_before_it_is_audited(name: str) -> None:
    with pytest.raises(ValueError, match="has signs that cannot be shown; rename the file or its folder"):
        resolved(f"csv:{name}")
