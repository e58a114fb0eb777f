"""How Django loads the console and its admin site."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin.apps import AdminConfig
from django.core.checks import register
from django.db import connections
from django.db.models.signals import pre_migrate

from runs.checks import check_doors, check_mail, check_places, check_proxy, check_signing_key


class RunsConfig(AppConfig):
    """The app of runs, decisions and their pages."""

    name = "runs"
    verbose_name = "Records"

    def ready(self) -> None:
        """Connect what belongs to start-up."""
        register(check_places)
        for check in (check_proxy, check_doors, check_mail, check_signing_key):
            register(check)
        # It needs the models of people, which are loaded after this module.
        import_module("runs.trust.signals").connect()
        pre_migrate.connect(ensure_schema, sender=self)


class ConsoleAdminConfig(AdminConfig):
    """Django's admin with the console's sign-in and permissions."""

    default_site = "runs.admin_site.ConsoleAdmin"


def ensure_schema(using: str, **_kwargs: object) -> None:
    """Make the PostgreSQL schema of people's tables, where they have one."""
    if using != "default" or not settings.PEOPLE_SCHEMA:
        return
    connection = connections[using]
    name = connection.ops.quote_name(settings.PEOPLE_SCHEMA)
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
