"""`people`: the database side of `continuum users`."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from runs import people
from runs.roles import Role
from runs.trust import history


class Command(BaseCommand):
    """Add, list, disable people, or change their roles."""

    help = "Who may sign in to the console; use `continuum users` instead."
    # Given by the caller in memory; a command line would show it to other processes.
    stealth_options = ("password",)

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the verb and what it may need."""
        parser.add_argument("verb", choices=[*_VERBS, "list"])
        parser.add_argument("name", nargs="?", default="")
        parser.add_argument("--role", action="append", choices=list(Role), default=None)
        parser.add_argument("--json", action="store_true")

    def handle(self, *, verb: str, **options: Any) -> None:
        """Do it and say what is true now."""
        if verb == "list":
            self.stdout.write(_listing(as_json=options["json"]))
            return
        with history.on_the_host():
            self.stdout.write(_VERBS[verb](options["name"], options))


def _add(name: str, options: dict[str, Any]) -> str:
    people.add_person(name, roles=options["role"], password=options["password"])
    return f"{name} may sign in as {', '.join(options['role'])}"


def _set_role(name: str, options: dict[str, Any]) -> str:
    people.set_roles(name, roles=options["role"])
    return f"{name} is now {', '.join(options['role'])}"


def _set_password(name: str, options: dict[str, Any]) -> str:
    people.set_password(name, password=options["password"])
    return f"{name} has a new password; open sessions have ended"


def _disable(name: str, _options: dict[str, Any]) -> str:
    people.set_active(name, active=False)
    return f"{name} can no longer sign in"


def _enable(name: str, _options: dict[str, Any]) -> str:
    people.set_active(name, active=True)
    return f"{name} can sign in again"


_VERBS = {
    "add": _add,
    "set-role": _set_role,
    "set-password": _set_password,
    "disable": _disable,
    "enable": _enable,
}


def _listing(*, as_json: bool) -> str:
    listed = people.list_people()
    if as_json:
        document = {"people": [person._asdict() for person in listed]}
        return json.dumps(document, indent=2, sort_keys=True)
    if not listed:
        return "nobody can sign in yet; `continuum users add NAME --role operator` adds somebody"
    rows = [
        f"{person.name:<24} {', '.join(person.roles) or 'no role':<24} "
        f"{'active' if person.active else 'disabled':<9} {person.last_login or 'never signed in'}"
        for person in listed
    ]
    return "\n".join(rows)
