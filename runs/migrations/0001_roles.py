"""Create the permissions and the four roles that carry them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.db import migrations

from runs.roles import RIGHT_NAMES, ROLE_RIGHTS

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor
    from django.db.migrations.operations.base import Operation


def create_roles(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make permissions here, since Django makes them only after all migrations."""
    alias = schema_editor.connection.alias
    types = apps.get_model("contenttypes", "ContentType").objects.using(alias)
    permissions = apps.get_model("auth", "Permission").objects.using(alias)
    groups = apps.get_model("auth", "Group").objects.using(alias)
    console, _ = types.get_or_create(app_label="runs", model="console")
    rights = {
        right: permissions.get_or_create(
            codename=str(right), content_type=console, defaults={"name": name}
        )[0]
        for right, name in RIGHT_NAMES.items()
    }
    for role, given in ROLE_RIGHTS.items():
        group, _ = groups.get_or_create(name=str(role))
        group.permissions.set([rights[right] for right in given])


class Migration(migrations.Migration):
    """The first migration; Django makes no table of ours."""

    initial = True
    dependencies: ClassVar[list[tuple[str, str]]] = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations: ClassVar[list[Operation]] = [
        migrations.RunPython(create_roles, migrations.RunPython.noop),
    ]
