"""Texts of the tools that judge and confirm."""

from __future__ import annotations

VALIDATE = (
    "Check part by part whether the recorded state still holds: goal, progress, dependencies, "
    "model, evidence, decisions, approvals. Call it when you want to know what exactly is in the "
    "way, or whether a dependency moved: give env as you see it now. Before you go on after an "
    "interruption call continuum_resume instead, which adds what to do; to record that a person "
    "checked, see continuum_confirm. Open to all, writes nothing. Read mode and safe first, then "
    "every component whose status is not valid; environment_changes names what moved. An unknown "
    "run is an error that names it."
)

RESUME = (
    "Say whether it is safe to go on with a run, what to do first, and what was interrupted. Call "
    "it at the start of a session without run_id to find the active run, and with run_id after "
    "any interruption, before you touch anything. Give env when you can see the versions the work "
    "depends on, and expected_model as your own id. Not for looking up single actions "
    "(continuum_list_actions) or single parts (continuum_validate). Open to all, writes nothing; "
    "the whole hash chain is audited, so a long run takes a moment. Go on freely only when safe is "
    "true; otherwise do next_allowed_action and nothing else, and pass human_steps on to a "
    "person. mode no_active_run means that nothing is open; an unknown run_id is an error."
)

CONFIRM = (
    "Record that a person vouches for the goal or the progress an agent reported. A person does "
    "this with `continuum confirm` or in the console; call the tool only as the trusted client "
    "that passes a person's word on, never to get past request_human yourself. Needs an "
    "allowlisted client that presented the confirm secret when it connected, and not the one that "
    "reported progress of the run. A confirmation covers what was reported up to now; later "
    "reports ask again, and a repeat is harmless. The answer is the verdict afterwards. Refused, "
    "with nothing recorded: an unknown or closed run, an empty scope."
)
