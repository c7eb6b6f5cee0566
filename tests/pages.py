"""The pages of a test in Chromium: where they open, what they do wrong, what is left of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Page, Request, WebError

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PATIENCE = 30_000  # ms for each action in Chromium, as several test runs may share the machine
LOOPBACK = ("localhost", "127.0.0.1", "::1")
NewPage = Callable[..., Page]
SignIn = Callable[[Page, "User"], None]


class SharedContext:
    """A context for all tests. Its cache, and its process, which a page that is never closed keeps alive, save the
    tests from loading every script again."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.browser, self.url = browser, url
        self.context = browser.new_context(base_url=url)
        self.stays = self.context.new_page()
        self.stays.goto("/static/icon.svg")
        self.session: CDPSession = self.context.new_cdp_session(self.stays)

    def another(self, **options: Any) -> BrowserContext:
        """A context without a cache, as on another device."""
        return self.browser.new_context(base_url=self.url, **options)

    def empty(self, origins: set[str]) -> None:
        """Leaves nothing of a test but the cache."""
        for page in self.context.pages:
            if page != self.stays:
                page.close()
        self.context.set_offline(False)
        self.context.unroute_all()
        self.context.clear_cookies()
        self.context.clear_permissions()
        for origin in origins:
            self.session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})


class Pages:
    """The pages of one test: the first opens in the shared context; another, or one with a clock that the test moves or
    options of Playwright's ``new_context``, in its own, as on another device: the clock of a context stays moved."""

    def __init__(self, shared: SharedContext, problems: list[str]) -> None:
        self.shared, self.problems = shared, problems
        self.contexts: list[BrowserContext] = []
        self.origins: set[str] = set()
        self.watch(shared.context)

    def open(
        self,
        width: int = 1280,
        height: int = 800,
        color_scheme: Literal["dark", "light"] | None = None,
        clock: bool = False,
        **options: Any,
    ) -> Page:
        is_own = bool(clock or options or self.contexts)
        context = self.shared.another(**options) if is_own else self.shared.context
        self.contexts.append(context)
        if is_own:
            self.watch(context)
        context.set_default_timeout(PATIENCE)
        if clock:
            context.clock.install()
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=color_scheme)
        return page

    def close(self) -> None:
        shared = self.shared.context
        for context in self.contexts:
            if context != shared:
                context.close()
        self.shared.empty(self.origins)
        shared.remove_listener("request", self.request)
        shared.remove_listener("console", self.console)
        shared.remove_listener("weberror", self.error)

    def watch(self, context: BrowserContext) -> None:
        context.on("request", self.request)
        context.on("console", self.console)
        context.on("weberror", self.error)

    def request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("http", "https"):
            return
        self.origins.add(f"{address.scheme}://{address.netloc}")
        if address.hostname not in LOOPBACK:
            self.problems.append(f"request to another host: {request.url}")

    def console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text}")

    def error(self, error: WebError) -> None:
        self.problems.append(f"script: {error.error}")


def sign_in(context: BrowserContext, user: "User", address: str) -> None:
    """Signs a user in at the address of a server, without the form."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": address, "httpOnly": True}])
