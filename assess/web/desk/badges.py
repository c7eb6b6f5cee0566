"""Template filters that call grades and outcomes as the assessors of a campaign know them."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from assess.ir.campaign.protocol import Protocol
from assess.models import Judgment, JudgmentEvent
from assess.web.common.html import style
from assess.web.desk.labels import labels, scale

register = template.Library()


@register.filter
def decision_name(decision: str, rules: Protocol) -> str:
    """ "3" is "High"."""
    return labels(rules)[decision]


@register.filter
def badge(decision: str, rules: Protocol) -> SafeString:
    return format_html('<span class="badge {}">{}</span>', style(rules, decision), labels(rules)[decision])


@register.filter
def scale_of(rules: Protocol) -> str:
    return scale(rules)


@register.filter
def active_seconds(judged: Judgment | JudgmentEvent) -> str:
    """The time of attention that it took; empty if it is not known."""
    return f"{judged.active_ms / 1000:.1f}" if judged.active_ms else ""
