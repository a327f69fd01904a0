"""What `--cluster` and its options may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.errors import UsageError
from judge.executors.target import Target, Tls, read_target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("local:4", Target(workers=4)),
        ("tcp://10.0.0.1:8786", Target(address="tcp://10.0.0.1:8786")),
        ("tls://scheduler.example:8786", Target(address="tls://scheduler.example:8786")),
        ("tcp://[fe80::1]:8786", Target(address="tcp://[fe80::1]:8786")),
    ],
)
def test_an_address_or_a_number_of_workers_is_a_cluster(text: str, target: Target) -> None:
    assert read_target(text, None, None, None) == target
    assert str(target) == text


@pytest.mark.parametrize(
    "text", ["", "local", "local:0", "local:-1", "10.0.0.1:8786", "http://a:1", "tcp://a", "tcp://a:b", "inproc://a:1"]
)
def test_anything_else_is_an_error_that_says_how_to_spell_it(text: str) -> None:
    with pytest.raises(UsageError, match="tcp://HOST:PORT, tls://HOST:PORT, or local:N"):
        read_target(text, None, None, None)


def test_certificates_go_together_and_with_an_encrypted_address_alone(tmp_path: Path) -> None:
    file = tmp_path / "some.pem"
    file.touch()
    assert read_target("tls://a:1", file, file, file) == Target("tls://a:1", tls=Tls(file, file, file))
    with pytest.raises(UsageError, match="--tls-ca needs --tls-key"):
        read_target("tls://a:1", file, file, None)
    with pytest.raises(UsageError, match="is for a cluster at tls://"):
        read_target("tcp://a:1", file, file, file)
    with pytest.raises(UsageError, match="is for a cluster at tls://"):
        read_target("local:2", file, file, file)
    with pytest.raises(UsageError, match="there is no such file"):
        read_target("tls://a:1", tmp_path / "none.pem", file, file)
