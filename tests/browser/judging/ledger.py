"""A topic that is long enough for things to go wrong, and a ledger of what its assessor decided."""

from assess.ir.common.rows import PoolLine
from assess.models import JudgmentEvent, PoolEntry, Post
from assess.services.pool import pools
from tests import cast
from tests.browser.judging.desk import at, idle, open_place, ready, stocked
from tests.desk import decisions, press

COUNT = 24


def long_topic():
    """ada, with a topic of 24 answers."""
    campaign = cast.make_campaign(topics=1)
    people = cast.make_cast(campaign)
    units = [str(number) for number in range(1001, 1001 + COUNT)]
    Post.objects.bulk_create(
        Post(
            collection=campaign.collection,
            post_id=unit,
            kind="answer",
            thread_id="10",
            body=f"<p>Answer {unit} says {cast.math('q_9', f'x^{{{unit}}}+1')}.</p>",
        )
        for unit in units
    )
    pool = pools.store(campaign, [PoolLine("A.1", unit, unit, 1.0, 1) for unit in units], {}, source="by hand")
    return people.ada, cast.make_assignment(pools.freeze(pool, cast.on_progress), people.ada)


class Ledger:
    """Judges by keys and writes down what was decided: unit -> word."""

    def __init__(self, page, assignment):
        self.page, self.assignment, self.decided = page, assignment, {}
        self.units = dict(PoolEntry.objects.filter(pool=assignment.round.pool).values_list("pk", "unit_id"))

    def place(self):
        return int(self.page.locator("html").get_attribute("data-painted"))

    def unit_at(self, place):
        return self.units[self.assignment.order[place - 1]]

    def judge(self, key, seconds=30):
        idle(self.page)
        place = self.place()
        self.page.keyboard.press(key)
        self.page.wait_for_selector(
            f'html:not([data-painted="{place}"])[data-painted]', state="attached", timeout=1000 * seconds
        )
        self.decided[self.unit_at(place)] = key

    def judge_many(self, count, seconds=30):
        for number in range(count):
            self.judge(str(number % 4), seconds)

    def check(self):
        """The database holds what was decided, each once."""
        assert decisions(self.assignment) == self.decided
        assert JudgmentEvent.objects.filter(assignment=self.assignment).count() == len(self.decided)


def opened(page, live_server, sign_in, desk, place=1):
    """The desk at a place, with the items that come next."""
    ada, mine = desk
    sign_in(page, ada)
    open_place(page, live_server, mine, place)
    ready(page)
    at(page, place)
    stocked(page, place)
    return Ledger(page, mine)


def saves(action):
    """Does something to each decision on its way; everything else goes on."""
    return lambda route: action(route) if route.request.method == "POST" else route.fallback()


def held(page, address):
    """Requests get no answer until the test calls what this returns."""
    waiting, is_over = [], []
    page.route(address, lambda route: route.fallback() if is_over else waiting.append(route))

    def let_go():
        is_over.append(True)
        for route in waiting:
            route.fallback()

    return let_go


def judged_elsewhere(client, ledger, place, word, **more):
    client.force_login(ledger.assignment.assessor)
    press(client, ledger.assignment, ledger.unit_at(place), word, **more)
