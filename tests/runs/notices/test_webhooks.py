"""Calls: signed, tried again, made once, and never where they may not go."""

from __future__ import annotations

import hmac
import json
import re
import socket
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from continuum.core.errors import InvalidInput
from runs.notices import hooks, outside, sending, watching
from runs.notices.models import Delivery, State, Webhook
from runs.notices.signing import secret_of, signature
from runs.trust.models import AccessEntry
from tests.conftest import NOON
from tests.runs.conftest import refresh
from tests.runs.notices.receivers import HOSTILE, Receiver

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "notifications.md"


def test_a_call_is_json_in_ascii_signed_with_time_and_id(console, make_run, tell, receiver, hook):
    done = hook(receiver.url)
    make_run("run_h", claimed=["k"], goal=HOSTILE)
    refresh(console)

    tell(seconds=1)

    [call] = receiver.calls
    call.body.decode("ascii")
    document = json.loads(call.body)
    assert call.path == "/hook?x=1"
    assert call.headers["Content-Type"] == "application/json"
    assert call.headers["X-Continuum-Event"] == document["event"] == "item.appeared"
    assert call.headers["X-Continuum-Delivery"] == document["delivery"]
    assert call.headers["X-Continuum-Timestamp"] == str(int(NOON.timestamp()) + 1)
    signed = f"{call.headers['X-Continuum-Timestamp']}.{document['delivery']}.".encode() + call.body
    expected = hmac.new(done.secret.encode(), signed, sha256).hexdigest()
    assert call.headers["X-Continuum-Signature"] == f"v1={expected}"
    assert "\n" not in document["item"]["goal"]


def test_the_guides_receiver_takes_what_is_sent_and_nothing_else(uncertain, tell, receiver, hook):
    done = hook(receiver.url)
    uncertain()
    tell(seconds=1)
    [call] = receiver.calls
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert code
    names: dict[str, object] = {}
    exec(code[1], names)
    is_genuine = names["is_genuine"]
    assert callable(is_genuine)
    now = NOON.timestamp() + 2

    assert is_genuine(done.secret, call.headers, call.body, now=now)
    assert not is_genuine(done.secret, call.headers, call.body + b" ", now=now)
    assert not is_genuine("whsec_other", call.headers, call.body, now=now)
    assert not is_genuine(done.secret, call.headers, call.body, now=now + 600)
    moved = {**call.headers, "X-Continuum-Timestamp": str(int(now) + 60)}
    assert not is_genuine(done.secret, moved, call.body, now=now)


def test_after_a_rotation_both_secrets_sign_for_a_day(uncertain, tell, receiver, hook):
    old = hook(receiver.url)
    new = hooks.rotate(hooks.find(old.webhook.pk), reason="leaked", now=NOON)
    uncertain()
    tell(seconds=1)
    tell(hours=25)

    first, later = receiver.calls
    assert new.secret != old.secret
    for call, secrets in ((first, [new.secret, old.secret]), (later, [new.secret])):
        timestamp = call.headers["X-Continuum-Timestamp"]
        delivery = call.headers["X-Continuum-Delivery"]
        made = [f"v1={signature(one, timestamp, delivery, call.body)}" for one in secrets if one]
        assert call.headers["X-Continuum-Signature"] == ",".join(made)


def test_the_secret_lies_in_no_row(hook, receiver):
    done = hook(receiver.url)

    rows = str(list(Webhook.objects.values())) + str(list(AccessEntry.objects.values()))

    assert done.secret.removeprefix("whsec_") not in rows
    assert secret_of(done.webhook.nonce) == done.secret


def test_a_call_that_fails_is_tried_again_later_and_later_under_the_same_id(
    console, store_url, uncertain, hook
):
    receiver = Receiver(500, 503, 200)
    try:
        watching.look(console, store_url, NOON)
        hook(receiver.url)
        uncertain()
        watching.look(console, store_url, NOON)

        tried = []
        for minute in range(20):
            before = len(receiver.calls)
            sending.send_due(NOON + timedelta(minutes=minute))
            tried += [minute] * (len(receiver.calls) - before)
    finally:
        receiver.close()

    assert tried == [0, 1, 6]
    assert len({call.headers["X-Continuum-Delivery"] for call in receiver.calls}) == 1
    assert len({call.body for call in receiver.calls}) == 1
    [delivery] = Delivery.objects.all()
    assert (delivery.state, delivery.attempts) == (State.SENT, 3)
    assert delivery.said == "answered 200 OK"


def test_in_the_end_it_is_given_up_and_can_be_sent_again_by_hand(
    console, store_url, uncertain, hook, sign_in
):
    receiver = Receiver(500)
    admin = sign_in("admin", name="ada")
    try:
        watching.look(console, store_url, NOON)
        hook(receiver.url)
        uncertain()
        watching.look(console, store_url, NOON)
        for hour in range(60):
            sending.send_due(NOON + timedelta(hours=hour))
        [delivery] = Delivery.objects.all()
        assert (delivery.state, delivery.attempts) == (State.FAILED, len(sending.BACKOFF) + 1)
        assert "answered 500" in admin.get("/notifications/log/?state=failed").content.decode()

        admin.post(f"/notifications/log/{delivery.pk}/again/")

        assert Delivery.objects.get().state == State.WAITING
    finally:
        receiver.close()


def test_a_receiver_that_is_gone_for_good_is_not_asked_again(uncertain, tell, hook):
    receiver = Receiver(410)
    try:
        hook(receiver.url)
        uncertain()
        for minute in range(9):
            tell(minutes=minute)
    finally:
        receiver.close()

    assert len(receiver.calls) == 1
    assert Delivery.objects.get().state == State.FAILED


def test_a_receiver_that_leads_elsewhere_is_not_followed(uncertain, tell, hook, receiver):
    leading = Receiver(302, location=receiver.url)
    try:
        hook(leading.url)
        uncertain()
        tell(seconds=1)
    finally:
        leading.close()

    assert receiver.calls == []
    assert Delivery.objects.get().said.startswith("answered 302")


def test_a_receiver_that_never_answers_holds_nothing_up_for_long(
    uncertain, tell, hook, monkeypatch
):
    monkeypatch.setattr(outside, "TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hook(f"http://127.0.0.1:{silent.getsockname()[1]}/")
        uncertain()
        tell(seconds=1)

    [delivery] = Delivery.objects.all()
    assert (delivery.state, delivery.attempts) == (State.WAITING, 1)
    assert "timed out" in delivery.said


@pytest.mark.parametrize(
    ("url", "allow_private", "said"),
    [
        ("http://192.0.2.1/", False, "https"),
        ("https://127.0.0.1/", False, "own network"),
        ("https://localhost/", False, "own network"),
        ("https://10.0.0.1/", False, "own network"),
        ("https://[::1]/", False, "own network"),
        ("https://[::ffff:127.0.0.1]/", False, "own network"),
        ("https://[64:ff9b::7f00:1]/", False, "own network"),
        ("https://100.64.0.1/", False, "own network"),
        ("https://169.254.169.254/latest/meta-data", True, "never called"),
        ("https://[fe80::1]/", True, "never called"),
        ("https://0.0.0.0/", True, "never called"),
        ("https://2130706433/", False, "own network"),
        ("https://user:pw@example.com/", False, "no name"),
        ("https://example.com/#x", False, "fragment"),
        ("ftp://example.com/", True, "https://host"),
        ("https:///x", True, "https://host"),
        ("https://example.com:99999/", True, "cannot be read"),
        ("https://example.com/\r\nX-Evil: 1", True, "blanks"),
        ("https://no-such-host.invalid/", False, "cannot be found"),
    ],
)
def test_an_address_that_may_not_be_called_is_refused(url, allow_private, said):
    with pytest.raises(InvalidInput, match=said):
        outside.ensure_address(url, allow_private=allow_private)
    with pytest.raises(outside.Unreachable):
        outside.post(url, b"", {}, allow_private=allow_private)


def test_a_name_that_moves_into_the_network_is_not_called(receiver, monkeypatch):
    port = int(receiver.url.split(":")[2].split("/")[0])
    there = [(2, 1, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: there)

    with pytest.raises(outside.Unreachable, match="own network"):
        outside.post(f"https://example.com:{port}/", b"", {}, allow_private=False)

    assert receiver.calls == []


def test_two_processes_never_send_one_row_twice(console, uncertain, tell, hook, receiver):
    hook(receiver.url)
    uncertain()
    watching.look(console, console.url, NOON + timedelta(seconds=1))
    [delivery] = Delivery.objects.all()

    assert sending.send_one(delivery.pk, NOON + timedelta(seconds=1))
    assert not sending.send_one(delivery.pk, NOON + timedelta(seconds=1))

    assert len(receiver.calls) == 1


def test_a_row_whose_sender_died_is_sent_again_once_its_claim_has_run_out(
    console, store_url, uncertain, tell, hook, receiver
):
    hook(receiver.url)
    uncertain()
    watching.look(console, store_url, NOON)
    Delivery.objects.update(
        state=State.SENDING, attempts=1, claimed_until=NOON + sending.CLAIM, next_at=NOON
    )

    sending.send_due(NOON + timedelta(minutes=1))
    assert receiver.calls == []
    sending.send_due(NOON + timedelta(minutes=2))

    assert len(receiver.calls) == 1
    assert Delivery.objects.get().state == State.SENT
