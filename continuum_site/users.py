"""`users`: who may sign in to the console, from the command line."""

from __future__ import annotations

import argparse
import getpass
import os
import sys

import django
from django.core.management import call_command

from continuum.core.errors import InvalidInput

ROLES = ("viewer", "reviewer", "operator", "admin")


def main(argv: list[str]) -> int:
    """Add, list, disable people or change their roles; return 0 when done."""
    options = read_options(argv)
    if options.db:
        os.environ["CONTINUUM_DB"] = options.db
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    arguments = [options.verb]
    if options.verb == "list":
        arguments += ["--json"] if options.json else []
        call_command("people", *arguments)
        return 0
    arguments.append(options.name)
    arguments += [f"--role={role}" for role in getattr(options, "role", [])]
    password = _password(options) if options.verb in ("add", "set-password") else None
    call_command("people", *arguments, password=password)
    return 0


def read_options(argv: list[str]) -> argparse.Namespace:
    """Parse the command's options."""
    parser = argparse.ArgumentParser(prog="continuum users", allow_abbrev=False)
    parser.add_argument("--db", help="store whose console it is; else CONTINUUM_DB")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    add = verbs.add_parser("add", help="let somebody sign in")
    add.add_argument("name")
    _add_role(add)
    _add_password(add)
    listing = verbs.add_parser("list", help="show everybody")
    listing.add_argument("--json", action="store_true")
    verbs.add_parser("disable", help="stop somebody signing in").add_argument("name")
    verbs.add_parser("enable", help="let somebody sign in again").add_argument("name")
    role = verbs.add_parser("set-role", help="replace somebody's roles")
    role.add_argument("name")
    _add_role(role)
    password = verbs.add_parser("set-password", help="replace somebody's password")
    password.add_argument("name")
    _add_password(password)
    return parser.parse_args(argv)


def _add_role(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--role", action="append", required=True, choices=ROLES, help="may be given several times"
    )


def _add_password(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--password-stdin", action="store_true", help="read the password from standard input"
    )


def _password(options: argparse.Namespace) -> str:
    if options.password_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InvalidInput("no terminal to ask for a password; use --password-stdin")
    first = getpass.getpass(f"Password for {options.name}: ")
    if first != getpass.getpass("Again: "):
        raise InvalidInput("the two passwords differ; nothing was changed")
    return first
