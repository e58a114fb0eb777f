"""Whose request it is: the person with rights and preferences, in one read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.backends import ModelBackend

from runs.roles import known_person

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class PeopleBackend(ModelBackend):
    """Django's own backend, but for how the person of a session is read."""

    def get_user(self, user_id: int) -> User | None:
        """Return the person, unless they may not sign in."""
        user = known_person(user_id)
        return user if user and self.user_can_authenticate(user) else None
