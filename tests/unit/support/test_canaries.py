"""A credential is found in whatever form it was let out."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zipfile
from urllib.parse import quote

import pytest

from tests.support.canaries import holds

SECRET = 'Aa0-_~/+"z'


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("after", ["", "x", "xy"])
def test_in_base64_wherever_it_begins(before, after):
    text = (before + SECRET + after).encode()
    for encoded in (base64.b64encode(text), base64.urlsafe_b64encode(text)):
        assert holds(encoded, [SECRET])
        assert not holds(encoded, ["Another-9"])


@pytest.mark.parametrize(
    "text", [SECRET, quote(SECRET, safe=""), json.dumps({"password": SECRET}), SECRET.encode().hex()]
)
def test_as_it_is_written_and_in_what_is_compressed(text):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("a/b", gzip.compress(text.encode()))
    for data in (text.encode(), gzip.compress(text.encode()), archive.getvalue()):
        assert holds(b"" + data, ["other", SECRET])
        assert not holds(data, ["other"])
