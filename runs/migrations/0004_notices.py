"""Tables of what people and programs are told: wishes, webhooks, marks, outbox and log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

if TYPE_CHECKING:
    from django.db.migrations.operations.base import Operation

_ACCESS_KINDS = [
    ("signed_in", "signed in"),
    ("sign_in_failed", "sign-in failed"),
    ("locked_out", "sign-in paused"),
    ("signed_out", "signed out"),
    ("session_ended", "session ended"),
    ("step_up_failed", "password asked again, wrong"),
    ("added", "added"),
    ("roles_changed", "roles changed"),
    ("password_changed", "password changed"),
    ("disabled", "disabled"),
    ("enabled", "enabled"),
    ("rights_changed", "rights changed"),
    ("webhook_changed", "webhook changed"),
]
_NOTICE_KINDS = [
    ("appeared", "appeared"),
    ("reminder", "still waits"),
    ("settled", "settled"),
    ("test", "test"),
]
_STATES = [
    ("waiting", "waiting"),
    ("sending", "being sent"),
    ("sent", "sent"),
    ("failed", "given up"),
    ("dropped", "not wanted any more"),
]
_PLAIN = {"default_permissions": ()}


def _key() -> tuple[str, models.Field[Any, Any]]:
    return "id", models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def _wishes() -> list[tuple[str, models.Field[Any, Any]]]:
    names = ("appeared", "reminder", "settled", "grave_only")
    return [(name, models.BooleanField(default=False)) for name in names]


def _to(model: str, **more: Any) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=model, **more)


_mail_wish = migrations.CreateModel(
    name="MailWish",
    fields=[
        *_wishes(),
        (
            "user",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                primary_key=True,
                related_name="mail_wish",
                serialize=False,
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        ("address", models.EmailField(max_length=254)),
    ],
    options={**_PLAIN, "abstract": False},
)
_watch = migrations.CreateModel(
    name="Watch",
    fields=[
        ("store", models.CharField(max_length=64, primary_key=True, serialize=False)),
        ("since", models.DateTimeField()),
    ],
    options=_PLAIN,
)
_webhook = migrations.CreateModel(
    name="Webhook",
    fields=[
        _key(),
        *_wishes(),
        ("name", models.CharField(max_length=80, unique=True)),
        ("url", models.CharField(max_length=500)),
        ("enabled", models.BooleanField(default=True)),
        ("allow_private", models.BooleanField(default=False)),
        ("nonce", models.CharField(max_length=64)),
        ("old_nonce", models.CharField(blank=True, default="", max_length=64)),
        ("old_until", models.DateTimeField(null=True)),
        ("added_by", models.CharField(max_length=150)),
        ("added_at", models.DateTimeField()),
    ],
    options={**_PLAIN, "abstract": False},
)
_item_mark = migrations.CreateModel(
    name="ItemMark",
    fields=[
        ("item_id", models.CharField(max_length=64, primary_key=True, serialize=False)),
        ("is_open", models.BooleanField()),
        ("appeared_at", models.DateTimeField()),
        ("left_at", models.DateTimeField(null=True)),
        ("times", models.PositiveIntegerField(default=1)),
        ("reminded", models.PositiveIntegerField(default=0)),
        ("severity", models.IntegerField(default=9)),
    ],
    options={**_PLAIN, "indexes": [models.Index(fields=["is_open"], name="mark_by_open")]},
)
_notice = migrations.CreateModel(
    name="Notice",
    fields=[
        _key(),
        ("uid", models.CharField(max_length=120, unique=True)),
        ("kind", models.CharField(choices=_NOTICE_KINDS, max_length=10)),
        ("severity", models.IntegerField()),
        ("at", models.DateTimeField()),
        ("content", models.JSONField()),
    ],
    options={**_PLAIN, "indexes": [models.Index(fields=["at"], name="notice_by_time")]},
)
_delivery = migrations.CreateModel(
    name="Delivery",
    fields=[
        _key(),
        ("uid", models.CharField(max_length=40, unique=True)),
        ("state", models.CharField(choices=_STATES, default="waiting", max_length=8)),
        ("attempts", models.PositiveIntegerField(default=0)),
        ("next_at", models.DateTimeField()),
        ("claimed_until", models.DateTimeField(null=True)),
        ("done_at", models.DateTimeField(null=True)),
        ("said", models.CharField(blank=True, default="", max_length=300)),
        ("user", _to(settings.AUTH_USER_MODEL, null=True)),
        ("notice", _to("runs.notice")),
        ("webhook", _to("runs.webhook", null=True)),
    ],
    options={
        **_PLAIN,
        "indexes": [models.Index(fields=["state", "next_at"], name="delivery_by_due")],
        "constraints": [
            models.UniqueConstraint(fields=("notice", "user"), name="one_mail_a_notice"),
            models.UniqueConstraint(fields=("notice", "webhook"), name="one_call_a_notice"),
        ],
    },
)


class Migration(migrations.Migration):
    """People's data only; nothing of the store."""

    dependencies: ClassVar = [
        ("runs", "0003_people_access"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations: ClassVar[list[Operation]] = [
        migrations.AlterField(
            model_name="accessentry",
            name="kind",
            field=models.CharField(choices=_ACCESS_KINDS, max_length=20),
        ),
        _mail_wish,
        _watch,
        _webhook,
        _item_mark,
        _notice,
        _delivery,
    ]
