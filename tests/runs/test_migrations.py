"""The migrations make the tables that the models describe."""

from __future__ import annotations

from django.apps import apps
from django.db import connection
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState


def test_nothing_of_people_is_missing_from_the_migrations(db):
    """Tables of the store are the engine's; Django makes none of them."""
    made = MigrationLoader(connection).project_state()
    wanted = ProjectState.from_apps(apps)
    for state in (made, wanted):
        for key, model in list(state.models.items()):
            if not model.options.get("managed", True):
                del state.models[key]

    changes = MigrationAutodetector(made, wanted).changes(graph=MigrationLoader(connection).graph)

    missing = [str(step) for one in changes.get("runs", []) for step in one.operations]
    assert missing == []
