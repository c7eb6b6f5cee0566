"""The address book of the pages, one list for each screen family."""

from django.urls import path

from assess.web import accounts, home
from assess.web.health import health

urlpatterns = [
    path("healthz", health, name="health"),
    *accounts.urlpatterns,
    *home.urlpatterns,
]
