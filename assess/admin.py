"""Django's admin for administrators of the server: accounts can be edited here, everything else only viewed, because
changes go through the steps, which keep a record."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from assess.models import Campaign, Job, Judgment, JudgmentEvent, Member, Run


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    list_display = ("name", "slug", "edition", "created")
    search_fields = ("name", "slug", "edition")


@admin.register(Member)
class MemberAdmin(ReadOnly):
    list_display = ("user", "role", "campaign")
    list_filter = ("role", "campaign")
    list_select_related = ("user", "campaign")


@admin.register(Run)
class RunAdmin(ReadOnly):
    list_display = ("name", "team", "campaign", "pool_role", "lines", "topics")
    list_filter = ("campaign",)
    list_select_related = ("campaign",)


@admin.register(Job)
class JobAdmin(ReadOnly):
    list_display = ("id", "kind", "state", "campaign", "created_by", "created", "finished", "worker")
    list_filter = ("state", "kind", "campaign")
    list_select_related = ("campaign", "created_by")


@admin.register(Judgment)
class JudgmentAdmin(ReadOnly):
    list_display = ("id", "assignment", "instance", "decision", "changed")
    list_select_related = ("assignment__topic", "assignment__assessor", "instance")


@admin.register(JudgmentEvent)
class JudgmentEventAdmin(ReadOnly):
    list_display = ("id", "at", "by", "assignment", "instance", "old_decision", "decision")
    list_select_related = ("assignment__topic", "assignment__assessor", "instance", "by")
    date_hierarchy = "at"
