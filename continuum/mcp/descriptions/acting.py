"""Texts of the tools around effects on the outside world."""

from __future__ import annotations

INTERCEPT = (
    "Claim the right to perform one effect on the outside world, before performing it. Call it for "
    "every mail, payment, deployment, deletion or publication. Do the effect only when proceed is "
    "true, then tell continuum_complete_action or continuum_fail_action, with the action_key "
    "answered here. proceed false never means try anyway: completed returns the earlier result; "
    "in_flight means another client is at it, so wait; unknown means an earlier attempt was "
    "interrupted, so find out and use continuum_reconcile_action; grant_denied means the authority "
    "is used up. Needs an allowlisted client and an open run. An error says that the attempts are "
    "used up, that the key stands for other arguments, or what is wrong with the call."
)

COMPLETE = (
    "Record that a claimed effect was done, with its receipt. Call it right after the effect, with "
    "the action_key of continuum_intercept_action; external_id and result are what a later claim "
    "is answered with. When it failed use continuum_fail_action; when you do not know any more "
    "whether it happened, continuum_reconcile_action. A repeat is safe and keeps the receipt; "
    "another receipt for a completed action is refused. If another client's claim put your attempt "
    "in doubt while you worked, you may still complete it with its action_key. Needs an "
    "allowlisted client. Refused for an unknown action, and for one that failed, was undone or is "
    "in doubt."
)

FAIL = (
    "Record that a claimed effect did not succeed. Call it when the attempt ended in an error. "
    "certain true means that the effect surely did not happen, so it may be claimed again; leave "
    "it false after a timeout or a lost connection: the outcome is then unknown and the run waits "
    "for it. When you learn later what happened, use continuum_reconcile_action; when it did "
    "succeed, continuum_complete_action. A repeat changes nothing. Needs an allowlisted client. "
    "Refused for an action that is completed or undone, and for certain true on one in doubt."
)

RECONCILE = (
    "Settle an action whose outcome was unknown, or overturn one that is recorded wrongly. Call it "
    "after you looked at the outside world: occurred true when the effect is there, false when it "
    "surely is not. Give evidence: a note, a receipt or a result. For an outcome you know at first "
    "hand use continuum_complete_action or continuum_fail_action; for an effect that was undone, "
    "continuum_compensate_action; when you cannot tell, leave it to a person. true keeps the "
    "stored receipt unless you replace it; false clears it and frees the operation to be claimed "
    "again. previous_status tells what was overturned. Needs an allowlisted client. Refused "
    "without evidence, and for an action that was undone."
)

COMPENSATE = (
    "Record that a completed effect was undone outside: a refund, a recall, a rollback. Call it "
    "after the counter-effect was performed, itself through continuum_intercept_action. The same "
    "operation may then be claimed again; the compensation itself cannot be reverted. It does not "
    "settle doubts (continuum_reconcile_action) and is not for an attempt that failed "
    "(continuum_fail_action). A second call is answered with the stored record and writes nothing. "
    "Needs an allowlisted client. Refused unless the action is completed."
)

LIST = (
    "List the effects of a run, first claimed first, with their receipts and what became of them. "
    "Call it after an interruption to see what was begun, before you repeat anything. Where "
    "outcome_unresolved is true nobody knows whether the effect happened: find out, then call "
    "continuum_reconcile_action. For the verdict on the whole run call continuum_resume. Open to "
    "all, writes nothing. unresolved counts the whole run; when next is there, call again with "
    "after set to it, otherwise the list is complete. An unknown run is an error that names it."
)
