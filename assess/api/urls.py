"""The addresses of the API: those that its modules declare."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from assess.api import campaigns, judging, people, pools, releases, rounds, runs
from assess.api.doors import addresses

MODULES = (campaigns, people, runs, pools, rounds, judging, releases)
urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("campaigns/<slug:slug>/", include(addresses(below_campaign=True))),
    *addresses(below_campaign=False),
]
