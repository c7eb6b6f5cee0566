"""Cloning, archiving and deleting campaigns."""

from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess import models
from assess.models import Action, Campaign, Job, Pool, kinds_of_jobs
from assess.services.campaign import campaigns
from assess.services.collection import collections, topic_threads
from assess.services.common import history, workspace
from assess.services.desk import rulings
from assess.services.jobs import job_queue


@transaction.atomic
def clone_campaign(campaign: Campaign, *, name: str, edition: str, by: User, with_collection: bool) -> Action:
    """A new campaign of ``by``, with the protocol, the guidelines and the rulings for all topics only."""
    kept = campaign.collection if with_collection else None
    copy = campaigns.create_campaign(name=name, preset=campaign.rules, by=by, edition=edition, collection=kept)
    for ruling, _ in rulings.rulings_in_force(campaign.rulings.order_by("pk")):
        rulings.store_ruling(copy, by, ruling.text)
    history.note(by, f"Cloned as {copy} of {edition}", campaign)
    return history.note(by, f"Cloned from {campaign} of {campaign.edition}", copy, page="campaign")


@transaction.atomic
def archive_campaign(campaign: Campaign, by: User, is_archived: bool = True) -> Action:
    """Put a campaign away, or bring it back; nothing in an archived one can change."""
    Campaign.objects.filter(pk=campaign.pk).update(archived=timezone.now() if is_archived else None)
    return history.note(by, f"{campaign} {'archived' if is_archived else 'brought back'}", campaign, page="campaign")


def delete_campaign(campaign: Campaign) -> None:
    """Delete a campaign with its judgments, releases and files; its collection stays, since others may use it. Raises
    Refused while one of its jobs, or one that changes its collection, is waiting or running."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
        job_queue.require_free(campaign, kinds=kinds_of_jobs(), when_archived=True)
        kept = list(campaign.jobs.filter(state__in=Job.UNDONE).values_list("params", flat=True))
        threads = campaign.topic_threads
        delete_protected(campaign)
        Pool.every.filter(campaign=campaign).delete()
        campaign.delete()
        if threads is not None and topic_threads.delete_unused(threads):
            workspace.remove_after_commit(collections.collection_home(threads))
        for params in kept:
            transaction.on_commit(partial(workspace.remove_uploads, params))


def delete_protected(campaign: Campaign) -> None:
    """What no deletion of a pool or a topic takes with it, the dependent rows first."""
    of_topic, of_pool = {"assignment__topic__campaign": campaign}, {"pool__campaign": campaign}
    models.Score.objects.filter(evaluation__qrels__pool__campaign=campaign).delete()
    models.Evaluation.objects.of(campaign).delete()
    for part in (models.QrelsLine, models.QrelsPart):
        part.objects.filter(qrels__pool__campaign=campaign).delete()
    models.Qrels.objects.filter(**of_pool).delete()
    for model in (models.Judgment, models.JudgmentEvent, models.PostTask, models.Deferral):
        model.objects.filter(**of_topic).delete()
    models.Question.objects.filter(topic__campaign=campaign).delete()
    models.Assignment.every.filter(topic__campaign=campaign).delete()
