"""Addresses of the console (design: the verb is in the address)."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path, register_converter

from runs.converters import Name
from runs.views import (
    actions,
    acts,
    attest,
    callers,
    chain,
    decisions,
    desk,
    events,
    evidence,
    families,
    inbox,
    live,
    notices,
    people,
    personal,
    policies,
    proposals,
    queue,
    runs,
    search,
)

register_converter(Name, "name")

app_name = "runs"

action_urls: list[URLPattern | URLResolver] = [
    path("", actions.action, name="action"),
    path("settle/", decisions.settle, name="settle"),
    path("compensate/", decisions.compensate, name="compensate"),
]
run_urls: list[URLPattern | URLResolver] = [
    path("", runs.run, name="run"),
    path("confirm/", decisions.confirm, name="confirm"),
    path("complete/", decisions.complete, name="complete"),
    path("events/<int:sequence>/", events.event, name="event"),
    path("events/<int:sequence>/payload/", events.payload, name="payload"),
    path("decisions/<name:request_id>/", decisions.result, name="result"),
    path("actions/<name:key>/", include(action_urls)),
    path("proposals/<name:proposal_id>/", proposals.proposal, name="proposal"),
    path("proposals/<name:proposal_id>/withdraw/", proposals.withdraw, name="withdraw"),
]
caller_urls: list[URLPattern | URLResolver] = [
    path("", callers.caller, name="caller"),
    path("rotate/", callers.rotate_caller, name="rotate-caller"),
    path("disable/", callers.disable_caller, name="disable-caller"),
    path("enable/", callers.enable_caller, name="enable-caller"),
]
chain_urls: list[URLPattern | URLResolver] = [
    path("", chain.chain, name="chain"),
    path("verify/", chain.verify, name="verify"),
    path("verify/stop/", chain.stop, name="stop-verifying"),
    path("walk/", chain.walk, name="walk"),
    path("export/", evidence.export, name="export"),
    path("bundle/", evidence.bundle, name="bundle"),
    path("attest/", attest.attest, name="attest"),
    path("attest/stop/", attest.stop, name="stop-attesting"),
    path("attest/made/<name:attestation_id>/", attest.document, name="attestation"),
    path("attest/check/", attest.check, name="check-attestation"),
]
# No run has this name in an address; see `runs.converters`.
store_chain_urls: list[URLPattern | URLResolver] = [
    path("verify/", chain.verify_all, name="verify-all"),
    path("verify/stop/", chain.stop_all, name="stop-verifying-all"),
    path("export/", evidence.export_all, name="export-all"),
    path("export/ticked/", evidence.export_ticked, name="export-ticked"),
    path("attest/", attest.attest_all, name="attest-all"),
    path("attest/stop/", attest.stop_all, name="stop-attesting-all"),
    path("attest/made/<name:attestation_id>/", attest.document_all, name="attestation-of-all"),
    path("attest/check/", attest.check_all, name="check-all-attestation"),
]
people_urls: list[URLPattern | URLResolver] = [
    path("notifications/", notices.notifications, name="notifications"),
    path("notifications/log/", notices.notice_log, name="notice-log"),
    path("notifications/log/<int:delivery>/again/", notices.retry_delivery, name="retry-delivery"),
    path("webhooks/", notices.webhooks, name="webhooks"),
    path("webhooks/new/", notices.new_webhook, name="new-webhook"),
    path("webhooks/<int:webhook>/", notices.webhook, name="webhook"),
    path("webhooks/<int:webhook>/act/", notices.act_on_webhook, name="act-on-webhook"),
    path("sessions/", people.own_sessions, name="sessions"),
    path("sessions/end-others/", people.end_other_sessions, name="end-other-sessions"),
    path("sessions/<int:session>/end/", people.end_session, name="end-session"),
    path("people/sessions/", people.all_sessions, name="all-sessions"),
    path("people/history/", people.people_history, name="people-history"),
    path("people/history/export/", people.people_history_export, name="people-history-export"),
]
urlpatterns = [
    path("", inbox.inbox, name="inbox"),
    path("items/claim/", desk.claim_ticked, name="claim-ticked"),
    path("items/assign/", desk.assign, name="assign"),
    path("items/<name:item_id>/claim/", desk.claim, name="claim"),
    path("items/<name:item_id>/release/", desk.release, name="release"),
    path("items/<name:item_id>/comment/", desk.comment, name="comment"),
    path("runs/", runs.run_list, name="run-list"),
    path("runs/<name:run_id>/", include(run_urls)),
    path("families/", families.families, name="families"),
    path("families/<name:run_id>/", families.family, name="family"),
    path("actions/", actions.action_list, name="action-list"),
    path("search/", search.search, name="search"),
    path("queue/", queue.queue, name="queue"),
    path("policies/", policies.policies, name="policies"),
    path("callers/", callers.callers, name="callers"),
    path("callers/new/", callers.new_caller, name="new-caller"),
    path("callers/history/", callers.caller_history, name="caller-history"),
    path("callers/history/<int:sequence>/", callers.caller_entry, name="caller-entry"),
    path("callers/by-name/<name:caller>/", include(caller_urls)),
    path("chain/", chain.chains, name="chains"),
    path("chain/-/", include(store_chain_urls)),
    path("chain/<name:run_id>/", include(chain_urls)),
    path("acts/", acts.acts, name="acts"),
    path("acts/export/", acts.acts_export, name="export-acts"),
    path("live/", live.live, name="live"),
    path("preferences/", personal.preferences, name="preferences"),
    path("keys/", personal.keys, name="keys"),
    path("views/", personal.views, name="views"),
    path("views/<int:number>/delete/", personal.delete_view, name="delete-view"),
    path("", include(people_urls)),
]
