"""What the tests of the organizer's screens share."""

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.ir.ranking import as_ranking, pack
from assess.models import Campaign, Ranking, Run
from assess.services import campaigns


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def make_run(campaign: Campaign, **fields: object) -> Run:
    about = {"team": "T", "kind": "primary", "method": "manual", "data": "both", "pool_role": "primary"}
    about |= {"format": "task1", "file_name": "r.tsv", "lines": 3, "topics": 2}
    name = str(fields.pop("name", "r"))
    run = Run.objects.create(campaign=campaign, name=name, sha256=name, **{**about, **fields})
    Ranking.objects.create(run=run, packed=pack(as_ranking([])))
    return run


def file(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def errors_of(response) -> str:
    return response.context["form"].errors.as_text()


def bare_campaign(preset: str) -> Campaign:
    """Another campaign of olga's, without topics and collection."""
    return campaigns.create(name=preset, preset=preset, by=User.objects.get(username="olga"))
