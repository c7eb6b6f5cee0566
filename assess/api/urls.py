"""The address book of the API."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from assess.api import campaigns, common, evaluations, judging, judgment_sources, releases, runs

OF_CAMPAIGN = [
    path("", campaigns.CampaignDetail.as_view(), name="api-campaign"),
    path("topics/", campaigns.Topics.as_view(), name="api-topics"),
    path("runs/", runs.Runs.as_view(), name="api-runs"),
    path("runs/fuse/", runs.FusedRuns.as_view(), name="api-fuse"),
    path("progress/", judging.Progress.as_view(), name="api-progress"),
    path("agreement/", releases.Agreement.as_view(), name="api-agreement"),
    path("releases/<int:version>/lines/", releases.ReleaseLines.as_view(), name="api-release-lines"),
    path("releases/<int:version>/manifest/", releases.ReleaseManifest.as_view(), name="api-release-manifest"),
    path("results/", evaluations.Results.as_view(), name="api-results"),
    path("evaluations/", evaluations.Evaluations.as_view(), name="api-evaluations"),
    path("evaluations/<int:pk>/", evaluations.EvaluationDetail.as_view(), name="api-evaluation"),
    path("evaluations/<int:pk>/scores/", evaluations.TopicScores.as_view(), name="api-scores"),
    path("judgment-sources/", judgment_sources.JudgmentSources.as_view(), name="api-judgment-sources"),
    path("judgment-sources/<int:pk>/", judgment_sources.JudgmentSourceDetail.as_view(), name="api-judgment-source"),
    path("judgment-sources/<int:pk>/lines/", judgment_sources.SourceLines.as_view(), name="api-judgment-source-lines"),
]
urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("campaigns/", campaigns.Campaigns.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", include(OF_CAMPAIGN)),
    path("jobs/<int:pk>/", common.JobDetail.as_view(), name="api-job"),
    path("assignments/<int:pk>/judgments/", judging.Judgments.as_view(), name="api-judgments"),
]
