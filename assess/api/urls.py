"""The address book of the API."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from assess.api import campaigns, evaluations, exports, jobs, judging, judgment_sources, releases, runs

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("campaigns/", campaigns.Campaigns.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", campaigns.CampaignDetail.as_view(), name="api-campaign"),
    path("campaigns/<slug:slug>/steps/", campaigns.Steps.as_view(), name="api-steps"),
    path("campaigns/<slug:slug>/topics/", campaigns.Topics.as_view(), name="api-topics"),
    path("campaigns/<slug:slug>/runs/", runs.Runs.as_view(), name="api-runs"),
    path("campaigns/<slug:slug>/runs/fuse/", runs.FusedRuns.as_view(), name="api-fuse"),
    path("campaigns/<slug:slug>/progress/", judging.Progress.as_view(), name="api-progress"),
    path("campaigns/<slug:slug>/agreement/", releases.Agreement.as_view(), name="api-agreement"),
    path(
        "campaigns/<slug:slug>/releases/<int:version>/lines/", releases.ReleaseLines.as_view(), name="api-release-lines"
    ),
    path(
        "campaigns/<slug:slug>/releases/<int:version>/manifest/",
        releases.ReleaseManifest.as_view(),
        name="api-release-manifest",
    ),
    path("campaigns/<slug:slug>/judgments/", exports.ExportedJudgments.as_view(), name="api-exported-judgments"),
    path("campaigns/<slug:slug>/history/", exports.ExportedHistory.as_view(), name="api-exported-history"),
    path("campaigns/<slug:slug>/triples/", exports.ExportedTriples.as_view(), name="api-exported-triples"),
    path("campaigns/<slug:slug>/results/", evaluations.Results.as_view(), name="api-results"),
    path("campaigns/<slug:slug>/evaluations/", evaluations.Evaluations.as_view(), name="api-evaluations"),
    path("campaigns/<slug:slug>/evaluations/<int:pk>/", evaluations.Detail.as_view(), name="api-evaluation"),
    path("campaigns/<slug:slug>/evaluations/<int:pk>/table/", evaluations.Tables.as_view(), name="api-tables"),
    path("campaigns/<slug:slug>/evaluations/<int:pk>/scores/", evaluations.Scores.as_view(), name="api-scores"),
    path("campaigns/<slug:slug>/evaluations/<int:pk>/categories/", evaluations.Parts.as_view(), name="api-categories"),
    path(
        "campaigns/<slug:slug>/judgment-sources/",
        judgment_sources.JudgmentSources.as_view(),
        name="api-judgment-sources",
    ),
    path(
        "campaigns/<slug:slug>/judgment-sources/<int:pk>/",
        judgment_sources.JudgmentSourceDetail.as_view(),
        name="api-judgment-source",
    ),
    path(
        "campaigns/<slug:slug>/judgment-sources/<int:pk>/lines/",
        judgment_sources.SourceLines.as_view(),
        name="api-judgment-source-lines",
    ),
    path("campaigns/<slug:slug>/reliability/", evaluations.Reliability.as_view(), name="api-reliability"),
    path("jobs/<int:pk>/", jobs.JobDetail.as_view(), name="api-job"),
    path("assignments/<int:pk>/judgments/", judging.Judgments.as_view(), name="api-judgments"),
]
