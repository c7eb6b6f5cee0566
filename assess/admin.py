"""Django's admin for administrators of the server: accounts can be edited here, everything else only viewed, because
changes go through the steps, which keep a record."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from assess.models import Campaign, Job, Judgment, JudgmentEvent, Member, Run


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """``related``: what the list names of other tables; joined to a million rows, databases may sort them all."""

    related: tuple[str, ...] = ()
    list_select_related = ()
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related(*self.related)

    def is_allowed(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_add_permission = has_change_permission = has_delete_permission = is_allowed


OF_JUDGMENT = ("assignment__topic", "assignment__assessor", "instance")
COLUMNS: dict[Any, dict[str, Any]] = {
    Campaign: {"list_display": ("name", "slug", "edition", "created"), "search_fields": ("name", "slug", "edition")},
    Member: {
        "list_display": ("user", "role", "campaign"),
        "list_filter": ("role", "campaign"),
        "related": ("user", "campaign"),
    },
    Run: {
        "list_display": ("name", "team", "campaign", "pool_role", "lines", "topics"),
        "related": ("campaign",),
        "list_filter": ("campaign",),
    },
    Job: {
        "list_display": ("id", "title", "state", "error", "campaign", "created_by", "created", "elapsed", "worker"),
        "list_filter": ("state", "kind", "created", ("campaign", admin.RelatedOnlyFieldListFilter)),
        "related": ("campaign", "created_by"),
        "search_fields": ("campaign__name", "created_by__username", "worker", "error"),
    },
    Judgment: {"list_display": ("id", "assignment", "instance", "decision", "changed"), "related": OF_JUDGMENT},
    JudgmentEvent: {
        "list_display": ("id", "at", "by", "assignment", "instance", "old_decision", "decision"),
        "related": (*OF_JUDGMENT, "by"),
    },
}
for model, options in COLUMNS.items():
    admin.site.register(model, ReadOnly, **options)
