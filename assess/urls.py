"""The address book: pages at the root, the API below /api/."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", include("assess.api.urls")),
    path("", include("assess.web.urls")),
]
