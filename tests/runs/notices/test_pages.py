"""The pages of notices: one's own choices, webhooks, the log."""

from __future__ import annotations

from django.utils import timezone

from runs.notices import sending
from runs.notices.models import MailWish, Webhook
from runs.notices.signing import secret_of
from runs.trust.models import AccessEntry, AccessKind
from tests.runs.conftest import PASSWORD, refresh
from tests.runs.notices.receivers import HOSTILE, told


def test_people_choose_for_themselves(operator):
    page = "/notifications/"
    assert operator.post(page, {"appeared": "1"}).status_code == 422
    assert operator.post(page, {"appeared": "1", "address": "no address"}).status_code == 422
    assert not MailWish.objects.exists()

    answer = operator.post(page, {"appeared": "1", "address": "me@x.example"}, follow=True)

    assert "Kept." in answer.content.decode()
    wish = MailWish.objects.get()
    assert (wish.address, wish.appeared, wish.settled) == ("me@x.example", True, False)


FORM = {
    "name": "pager",
    "url": "https://192.0.2.9/hook",
    "allow_private": "1",
    "appeared": "1",
    "reason": "on call",
}


def test_a_webhook_takes_a_password_and_a_reason_and_shows_its_secret_once(sign_in):
    admin = sign_in("admin", name="ada")

    assert admin.post("/webhooks/new/", FORM).status_code == 422
    assert admin.post("/webhooks/new/", {**FORM, "password": "wrong"}).status_code == 422
    assert (
        admin.post("/webhooks/new/", {**FORM, "password": PASSWORD, "reason": ""}).status_code
        == 422
    )
    assert not Webhook.objects.exists()
    written = admin.post("/webhooks/new/", {**FORM, "password": PASSWORD})

    webhook = Webhook.objects.get()
    secret = secret_of(webhook.nonce)
    assert secret in written.content.decode()
    assert secret not in admin.get(f"/webhooks/{webhook.pk}/").content.decode()
    [entry] = AccessEntry.objects.filter(kind=AccessKind.WEBHOOK_CHANGED)
    assert (entry.person, entry.detail) == ("ada", "pager added: on call")


def test_a_private_address_is_refused_on_the_form_unless_it_is_allowed(sign_in):
    admin = sign_in("admin", name="ada")
    inside = {**FORM, "url": "https://10.1.2.3/", "password": PASSWORD}
    del inside["allow_private"]

    refused = admin.post("/webhooks/new/", inside)

    assert refused.status_code == 422
    assert "own network" in refused.content.decode()
    assert admin.post("/webhooks/new/", {**inside, "allow_private": "1"}).status_code == 200


def test_acts_on_a_webhook(sign_in, hook, receiver):
    admin = sign_in("admin", name="ada")
    done = hook(receiver.url)
    page = f"/webhooks/{done.webhook.pk}/act/"
    stand = {"reason": "why not", "password": PASSWORD}

    assert admin.post(page, {"act": "remove", "reason": "r"}).status_code == 422
    assert admin.post(page, {"act": "explode", **stand}).status_code == 422
    rotated = admin.post(page, {"act": "rotate", **stand})
    assert secret_of(Webhook.objects.get().nonce) in rotated.content.decode()
    admin.post(page, {"act": "disable", **stand})
    assert not Webhook.objects.get().enabled
    admin.post(page, {"act": "test", **stand})
    sending.send_due(timezone.now())
    assert told(receiver)[0]["event"] == "test"
    admin.post(page, {"act": "enable", **stand})
    assert Webhook.objects.get().enabled
    admin.post(page, {"act": "remove", **stand})
    assert not Webhook.objects.exists()


def test_a_name_is_taken_once(sign_in, hook, receiver):
    admin = sign_in("admin", name="ada")
    hook(receiver.url)

    answer = admin.post("/webhooks/new/", {**FORM, "password": PASSWORD})

    assert answer.status_code == 409
    assert Webhook.objects.count() == 1


def test_hostile_text_is_inert_in_the_log(console, make_run, sign_in, hook, receiver, tell):
    admin = sign_in("admin", name="ada")
    hook(receiver.url, name="<script>alert(2)</script>")
    make_run("run_h", claimed=["<img src=x onerror=alert(1)>"], goal=HOSTILE)
    refresh(console)
    tell(seconds=1)

    for url in ("/notifications/log/", "/webhooks/", "/notifications/"):
        page = admin.get(url).content.decode()
        assert "<script>alert" not in page
        assert "<img src=x" not in page
