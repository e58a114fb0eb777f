"""Tables of open sessions, of the history of access, and of how often people act."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

if TYPE_CHECKING:
    from django.db.migrations.operations.base import Operation

_KINDS = [
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
]


def _key() -> models.BigAutoField[int, int]:
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def _user() -> models.ForeignKey[object, object]:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
    )


class Migration(migrations.Migration):
    """People's data only; nothing of the store."""

    dependencies: ClassVar = [
        ("runs", "0002_personal"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations: ClassVar[list[Operation]] = [
        migrations.CreateModel(
            name="AccessEntry",
            fields=[
                ("id", _key()),
                ("at", models.DateTimeField()),
                ("kind", models.CharField(choices=_KINDS, max_length=20)),
                ("person", models.CharField(max_length=150)),
                ("by", models.CharField(max_length=150)),
                ("via", models.CharField(max_length=10)),
                ("address", models.CharField(max_length=64)),
                ("agent", models.CharField(max_length=200)),
                ("detail", models.CharField(max_length=300)),
                ("times", models.PositiveIntegerField(default=1)),
            ],
            options={
                "default_permissions": (),
                "indexes": [
                    models.Index(fields=["person", "id"], name="access_by_person"),
                    models.Index(fields=["kind", "id"], name="access_by_kind"),
                    models.Index(fields=["at"], name="access_by_time"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ActCount",
            fields=[
                ("id", _key()),
                ("kind", models.CharField(max_length=20)),
                ("minute", models.DateTimeField()),
                ("times", models.PositiveIntegerField()),
                ("user", _user()),
            ],
            options={
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "kind", "minute"), name="one_count_a_minute"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PersonSession",
            fields=[
                ("id", _key()),
                ("session_key", models.CharField(max_length=40, unique=True)),
                ("started_at", models.DateTimeField()),
                ("last_seen_at", models.DateTimeField()),
                ("address", models.CharField(max_length=64)),
                ("agent", models.CharField(max_length=200)),
                ("user", _user()),
            ],
            options={
                "default_permissions": (),
                "indexes": [models.Index(fields=["-last_seen_at", "-id"], name="session_by_seen")],
            },
        ),
    ]
