"""Parameters that several tools share, described the same way everywhere."""

from __future__ import annotations

from continuum.mcp.schemas import (
    answer,
    array,
    free_object,
    mapping,
    parameter,
    shape,
    text,
    whole,
)

MAX_NEW_RUN_ID = 200
MAX_PROSE = 2000
MAX_RECEIPT = 1000
MAX_COUNT = 2**53 - 1

RUN = parameter(
    "The run's id, as continuum_resume returns it.", text(most=4000), example="invoices-2026-11"
)
NEW_RUN = parameter(
    "The run's id: the one you started it with, or as continuum_resume returns it. A new one is "
    f"1 to {MAX_NEW_RUN_ID} printable characters without blanks at its ends; choose it after the "
    "task.",
    text(most=4000),
    example="invoices-2026-11",
)
ACTION = parameter(
    "Which action: the action_key that continuum_intercept_action answered, or an action_id of "
    "continuum_list_actions.",
    text(most=512),
    example="f3f99bc497f351bc18dcfd1dfe96d3dbf6aaf7451efed32f7d54ee9e5b1e182b",
)
ENVIRONMENT = parameter(
    "The versions of outside things the work depends on as you see them now: name to version, "
    "hash or date. A dependency you leave out counts as unknown, never as unchanged.",
    mapping({"type": ["string", "number"], "maxLength": 500}, most=200, longest_name=200),
    example={"dataset": "v3", "api": "2026-11-01"},
    default=None,
)
EXPECTED_MODEL = parameter(
    "The id of the model that would go on with the work: your own. With it the answer says "
    "whether the recorded work was done by another one.",
    text(most=256),
    example="model-large-2",
    default=None,
)
EXTERNAL_ID = parameter(
    "The receipt of the outside system, such as a message id or a transaction number; how a "
    "person can look the effect up.",
    text(least=0, most=MAX_RECEIPT),
    example="msg_20931",
    default=None,
)
RESULT = parameter(
    "What the effect returned, as an object; a later claim of the same operation is answered "
    "with it. Free members, about 1 MiB at most.",
    free_object(),
    example={"status": "sent"},
    default=None,
)
CONSUMED_INPUTS = parameter(
    "What the effect was computed from, so that nobody resumes from a point before it. Each "
    "member is optional.",
    shape(
        {
            "checkpoint_seq": {
                **whole(most=MAX_COUNT),
                "description": "Events a checkpoint covers.",
            },
            "event_positions": {
                **array(whole(least=1, most=MAX_COUNT), most=200),
                "description": "Sequences of events.",
            },
            "component_ids": {
                **array(text(most=256), most=200),
                "description": "Ids of findings, evidence, decisions or plan units.",
            },
            "action_ids": {
                **array(text(most=256), most=200),
                "description": "Ids of earlier actions.",
            },
        }
    ),
    example={"checkpoint_seq": 12, "event_positions": [14]},
    default=None,
)
PINNING = parameter(
    "What you work under, so that drift can be told later: any of prompt_sha256, "
    "tool_schema_sha256, model_id, policy_version, each up to 256 characters; empty ones are left "
    "out.",
    shape(
        {
            name: {"type": ["string", "number", "boolean", "null"], "description": words}
            for name, words in (
                ("prompt_sha256", "Hash of the system prompt."),
                ("tool_schema_sha256", "Hash of the tool schemas."),
                ("model_id", "Id of the model."),
                ("policy_version", "Version of the policy."),
            )
        }
    ),
    example={"model_id": "model-large-2"},
    default=None,
)

RUN_ID_ANSWER = answer("string", "The run.")
MODE_ANSWER = {
    **answer("string", "How the run may go on."),
    "enum": [
        "resume",
        "repair_and_resume",
        "replan",
        "wait",
        "request_human",
        "rollback",
        "abort",
        "no_active_run",
    ],
}
SAFE_ANSWER = answer("boolean", "True exactly when mode is resume.")
NEXT_ACTION_ANSWER = answer(
    ["string", "null"], "The only step allowed next, KIND:TARGET; null when nothing is prescribed."
)
REPORT_ANSWER = answer("string", "The verdict in words.")
ACTION_STATUS_ANSWER = {
    **answer("string", "Where the action stands."),
    "enum": [
        "planned",
        "started",
        "completed",
        "failed",
        "unknown",
        "compensated",
        "requires_review",
        "expired",
    ],
}
EXTERNAL_ID_ANSWER = answer(["string", "null"], "The recorded receipt.")
UNCERTAIN_ANSWER = answer(
    "boolean", "True when the effect may or may not have happened and somebody has to find out."
)
