"""Texts of the tools that record how the work goes."""

from __future__ import annotations

_CHOOSER = (
    "Which recorder: counts → continuum_record_progress; what remains, unit by unit → "
    "continuum_record_plan; how you are thinking → continuum_record_summary; a restore point "
    "before risk → continuum_checkpoint. Several at one milestone is expected."
)

PROGRESS = (
    "Record how many units of a run are done, and start the run if it is new. Call it whenever a "
    "unit is finished, and once with completed 0 and a goal to begin. Counts are absolute, not "
    "increments, so repeating a call changes nothing but adds one event; a lower count is taken "
    "and answered with regressed_from. total is the denominator and is kept until you change it; "
    "pending is what is left of it. Needs an allowlisted client. Refused, with nothing recorded: "
    "counts that exceed the total, a new run without goal, a closed run. "
) + _CHOOSER

CHECKPOINT = (
    "Seal the run's state as a restore point, together with what you see of the outside world. "
    "Call it at milestones and before something risky, with env for every dependency whose change "
    "would spoil the work. Earlier checkpoints are kept; each call adds one, also when nothing "
    "changed. Dependencies and model that moved are declared first, then the checkpoint is "
    "written over them. The answer names the checkpoint, its state version and the last event it "
    "covers. Needs an allowlisted client. Refused when the run does not exist or its chain does "
    "not verify. "
) + _CHOOSER

SUMMARY = (
    "Keep how you are thinking for whoever goes on after you: steps ahead, decisions and why, open "
    "questions, what you have open. Call it before a long pause or when your context fills up. "
    "Only the newest summary is read: give the whole picture each time, nothing is merged. All "
    "five parts together may have 4096 characters as JSON; a longer one is refused with both "
    "numbers and nothing is recorded. It never changes the verdict. Needs an allowlisted client "
    "and an existing run. "
) + _CHOOSER

PLAN = (
    "Write units of a plan, or change their status, and start the run if it is new. Call it when "
    "you have split the task, and again as units begin, finish or get stuck. Units are told apart "
    "by plan_id and id: one that exists is updated and keeps what you leave out, others stay as "
    "they are, so a repeat is safe. The answer holds the whole plan and what remains, "
    "dependencies first. A plan that depends on a missing unit or on itself is kept, but listed "
    "under conflicts. Needs an allowlisted client. Refused, with nothing recorded: no units, one "
    "twice, a new one without title, a closed run. "
) + _CHOOSER
