"""Django's admin for administrators of the server: accounts can be edited here, everything else only viewed, because
changes go through the steps, which keep a record."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from assess.models import Campaign, Job, Judgment, JudgmentEvent, Member, Run


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    def is_allowed(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_add_permission = has_change_permission = has_delete_permission = is_allowed


OF_JUDGMENT = ("assignment__topic", "assignment__assessor", "instance")
COLUMNS: dict[Any, dict[str, Any]] = {
    Campaign: {"list_display": ("name", "slug", "edition", "created"), "search_fields": ("name", "slug", "edition")},
    Member: {"list_display": ("user", "role", "campaign"), "list_filter": ("role", "campaign")},
    Run: {
        "list_display": ("name", "team", "campaign", "pool_role", "lines", "topics"),
        "list_filter": ("campaign",),
    },
    Job: {
        "list_display": ("id", "title", "state", "error", "campaign", "created_by", "created", "elapsed", "worker"),
        "list_filter": ("state", "kind", "created", ("campaign", admin.RelatedOnlyFieldListFilter)),
        "list_select_related": ("campaign", "created_by"),
        "search_fields": ("campaign__name", "created_by__username", "worker", "error"),
    },
    Judgment: {
        "list_display": ("id", "assignment", "instance", "decision", "changed"),
        "list_select_related": OF_JUDGMENT,
    },
    JudgmentEvent: {
        "list_display": ("id", "at", "by", "assignment", "instance", "old_decision", "decision"),
        "list_select_related": (*OF_JUDGMENT, "by"),
    },
}
for model, options in COLUMNS.items():
    admin.site.register(model, ReadOnly, **options)
