"""The admin's pages: people and roles for admins, the engine's rows read-only for reviewers."""

from runs.admin import people as people
from runs.admin import records as records
