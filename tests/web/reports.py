"""What the tests of progress, agreement, releases and results share."""

from django.urls import reverse

from tests.lab import client_of


def url_of(name, lab, **more):
    arguments = {
        "agreement_report": {"pk": lab.report.pk},
        "release": {"version": 1},
        "release_protocol": {"version": 1},
        "release_file": {"version": 1, "unit": "post", "grades": "graded"},
        "evaluation": {"pk": lab.evaluation.pk},
        "evaluation_file": {"pk": lab.evaluation.pk},
        "evaluation_run": {"pk": lab.evaluation.pk, "run_pk": lab.campaign.runs.get(name="alpha").pk},
    }
    return reverse(name, kwargs={"slug": lab.campaign.slug, **arguments.get(name, {}), **more})


def page_of(lab, name, person="olga", query="", **more):
    response = client_of(getattr(lab.cast, person)).get(url_of(name, lab, **more) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())
