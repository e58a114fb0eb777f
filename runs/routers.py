"""Keeps Django's own data and the engine's tables apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runs.models import Record

if TYPE_CHECKING:
    from django.db.models import Model


class StoreIsReadOnly:
    """Sends record models to `store`, everything else to `default`; writes to neither's other.

    A write of a record model is refused here with a clear error, and by the
    database itself (`query_only`, `default_transaction_read_only`) should this
    ever be passed by.
    """

    def db_for_read(self, model: type[Model], **_hints: Any) -> str:
        """Name the database a model is read from."""
        return "store" if issubclass(model, Record) else "default"

    def db_for_write(self, model: type[Model], **_hints: Any) -> str:
        """Name the database a model is written to."""
        if issubclass(model, Record):
            raise PermissionError(f"{model.__name__} belongs to the engine; Django only reads it")
        return "default"

    def allow_relation(self, first: Model, second: Model, **_hints: Any) -> bool | None:
        """Allow relations inside one database only."""
        return isinstance(first, Record) == isinstance(second, Record)

    def allow_migrate(self, db: str, app_label: str, **_hints: Any) -> bool:
        """Never migrate the store."""
        return db == "default"
