"""Secrets of webhooks, and the signatures made with them."""

from __future__ import annotations

import base64
import hmac
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from datetime import datetime

    from runs.notices.models import Webhook

PREFIX = "whsec_"
_PURPOSE = b"continuum webhook secret v1:"


def new_nonce() -> str:
    """Return what a new secret is made from."""
    return secrets.token_urlsafe(32)


def secret_of(nonce: str) -> str:
    """Return the secret: the console's key and the nonce together, and neither alone."""
    key = settings.SECRET_KEY.encode()
    made = hmac.new(key, _PURPOSE + nonce.encode(), sha256).digest()
    return PREFIX + base64.urlsafe_b64encode(made).decode().rstrip("=")


def signature(secret: str, timestamp: str, delivery: str, body: bytes) -> str:
    """Return the HMAC-SHA256 of `TIMESTAMP.DELIVERY.BODY` in hexadecimal."""
    signed = f"{timestamp}.{delivery}.".encode() + body
    return hmac.new(secret.encode(), signed, sha256).hexdigest()


def headers_of(webhook: Webhook, delivery: str, body: bytes, now: datetime) -> dict[str, str]:
    """Return the headers a receiver checks; for a while after a rotation, with two signatures."""
    timestamp = str(int(now.timestamp()))
    nonces = [webhook.nonce]
    if webhook.old_nonce and webhook.old_until is not None and now < webhook.old_until:
        nonces.append(webhook.old_nonce)
    made = [f"v1={signature(secret_of(one), timestamp, delivery, body)}" for one in nonces]
    return {
        "X-Continuum-Delivery": delivery,
        "X-Continuum-Timestamp": timestamp,
        "X-Continuum-Signature": ",".join(made),
    }
