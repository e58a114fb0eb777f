"""How chains stand, told beside their rows: from what was kept, nothing is walked."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.urls import reverse
from django.utils.html import format_html

from continuum.core.errors import ContinuumError
from continuum.services.chainlists import standings_of
from continuum.services.standings import StandingState, standing
from runs.admin.tables import CUT, RecordAdmin
from runs.chainwords import standing_title
from runs.clocks import reader_clock
from runs.engine import current_store

if TYPE_CHECKING:
    from django.http import HttpRequest

    from continuum.services.standings import Standing

    AnyChangeList = ChangeList
else:
    AnyChangeList = ChangeList

_KEPT = "chain_standing"


class ChainList(AnyChangeList):
    """A page of rows, with how the chains of their runs stand: asked for once, for all of them."""

    def get_results(self, request: HttpRequest) -> None:
        """Read the page, then look the chains up."""
        super().get_results(request)
        records: Any = list(self.result_list)
        known = _standings({record.run_id for record in records if record.run_id})
        for record in records:
            setattr(record, _KEPT, known.get(record.run_id))
        self.result_list = records


class ChainedAdmin(RecordAdmin):
    """Rows that belong to a chain: lists and pages say how it stands."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """List them with their chains."""
        return ChainList

    @admin.display(description="chain")
    def chain(self, record: Any) -> str:
        """Say in a list how the chain stands, and lead to its page."""
        if not record.run_id:
            return "–"
        known: Standing | None = getattr(record, _KEPT, None)
        text = _in_words(record, known) if known else "Cannot be told"
        return chain_link(record.run_id, text)

    @admin.display(description="chain")
    def standing(self, record: Any) -> str:
        """Say on a page of its own how the chain stands, why, and how to see for oneself."""
        if not record.run_id:
            return "–"
        try:
            known = standing(current_store(settings.CONTINUUM_DB), record.run_id)
        except ContinuumError as exc:
            return format_html("It cannot be told: {}", str(exc)[:CUT])
        link = chain_link(record.run_id, _in_words(record, known))
        reason = reader_clock().in_sentence(f": {known.reason[:CUT]}") if known.reason else ""
        command = shlex.join(["continuum", "verify", record.run_id])
        return format_html("{}{}<br>See for yourself: <code>{}</code>", link, reason, command)


def chain_link(run_id: str, text: str = "Chain") -> str:
    """Return a link to the page of a run's chain."""
    return format_html('<a href="{}">{}</a>', reverse("runs:chain", args=[run_id]), text[:80])


def _in_words(record: Any, known: Standing) -> str:
    """Say what the chain's page says, and whether an event is behind the break."""
    text = standing_title(known)
    sequence, bad = getattr(record, "sequence", None), known.bad_sequence
    if known.state is StandingState.BROKEN and sequence is not None and sequence >= (bad or 0):
        return f"{text}; not to be trusted"
    return text


def _standings(run_ids: set[str]) -> dict[str, Standing]:
    try:
        return standings_of(current_store(settings.CONTINUUM_DB), run_ids)
    except ContinuumError:  # each row says that it cannot be told
        return {}
