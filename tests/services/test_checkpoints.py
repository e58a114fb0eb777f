"""Checkpoints that agents take: the world and the model they say they see."""

from __future__ import annotations

from continuum.domain.events import EventType, Origin
from continuum.services.checkpoints import take_checkpoint
from tests.services.acting import NOON, started


def take(store, **more):
    return take_checkpoint(
        store, "run-a", at=NOON, source=Origin.EXTERNAL_AGENT, members={"caller": "bot"}, **more
    )


def events(store):
    return [(str(one.type), one.payload) for one in store.events("run-a")]


def test_what_moved_is_declared_before_the_checkpoint_that_covers_it(store):
    started(store)

    checkpoint = take(store, versions={"dataset": "v1"}, model="m-1", provider="prov")

    assert events(store)[1:3] == [
        ("DEPENDENCY_DECLARED", {"resource": "dataset", "version": "v1", "caller": "bot"}),
        ("MODEL_CHANGED", {"model": "m-1", "provider": "prov", "caller": "bot"}),
    ]
    assert events(store)[3][1]["caller"] == "bot"
    assert checkpoint.state["source_sequence"] == 3
    assert checkpoint.state["model"]["model"] == "m-1"


def test_what_stayed_as_it_was_is_not_declared_again(store):
    started(store)
    take(store, versions={"dataset": "v1"}, model="m-1", provider="prov")

    second = take(store, versions={"dataset": "v1"}, model="m-1")

    assert events(store)[-2][0] == events(store)[-1][0] == EventType.STATE_CHECKPOINTED
    assert second.state["model"]["provider"] == "prov"
    assert second.version == 0


def test_another_model_of_the_same_provider_is_a_change(store):
    started(store)
    take(store, model="m-1", provider="prov")

    take(store, model="m-2")

    assert events(store)[-2] == (
        "MODEL_CHANGED",
        {"model": "m-2", "provider": "prov", "caller": "bot"},
    )
