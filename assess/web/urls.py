"""The address book of the pages, one list for each screen family."""

from django.urls import path

from assess.web import (
    accounts,
    assignments,
    baselines,
    campaigns,
    extension,
    formulas,
    home,
    images,
    jobs,
    judging,
    missing,
    pools,
    releases,
    reports,
    results,
    runs,
    sources,
    threads,
    topic_threads,
)
from assess.web.health import health

urlpatterns = [
    path("healthz", health, name="health"),
    *accounts.urlpatterns,
    *home.urlpatterns,
    *judging.urlpatterns,
    *threads.urlpatterns,
    *topic_threads.urlpatterns,
    *images.urlpatterns,
    *campaigns.urlpatterns,
    *sources.urlpatterns,
    *formulas.urlpatterns,
    *runs.urlpatterns,
    *baselines.urlpatterns,
    *jobs.urlpatterns,
    *extension.urlpatterns,
    *pools.urlpatterns,
    *missing.urlpatterns,
    *assignments.urlpatterns,
    *reports.urlpatterns,
    *releases.urlpatterns,
    *results.urlpatterns,
]
