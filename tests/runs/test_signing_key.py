"""A signing key that is missing, or that others can read, is named at start."""

from __future__ import annotations

import pytest

from runs.checks import check_signing_key


@pytest.mark.parametrize(
    ("mode", "found"), [(0o600, []), (0o400, []), (0o640, ["runs.W002"]), (0o604, ["runs.W002"])]
)
def test_a_key_is_for_the_console_alone(settings, tmp_path, mode, found):
    file = tmp_path / "signer.pem"
    file.write_text("key")
    file.chmod(mode)
    settings.SIGNER_KEY = str(file)

    assert [one.id for one in check_signing_key()] == found


def test_a_missing_key_is_an_error_and_none_at_all_is_not(settings, tmp_path):
    settings.SIGNER_KEY = str(tmp_path / "nothing")
    assert [one.id for one in check_signing_key()] == ["runs.E006"]

    settings.SIGNER_KEY = ""
    assert check_signing_key() == []
