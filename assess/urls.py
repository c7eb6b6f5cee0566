"""All addresses: pages at the root, the API below /api/."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from django.views.generic import RedirectView


@login_not_required
def admin_login(request: HttpRequest) -> HttpResponse:
    """The sign-in page for administrators; other signed-in users get 404."""
    if request.user.is_authenticated and not admin.site.has_permission(request):
        raise Http404
    return admin.site.login(request)


urlpatterns = [
    path("admin/login/", admin_login),
    path("admin/", admin.site.urls),
    path("api/", include("assess.api.urls")),
    path("favicon.ico", login_not_required(RedirectView.as_view(url=f"{settings.STATIC_URL}icon.svg"))),
    path("", include("assess.web.urls")),
]

handler500 = "assess.web.common.logs.failed"
