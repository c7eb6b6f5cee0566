"""The addresses of the pages, room by room."""

from django.urls import path

from assess.web import handbooks, home, overview
from assess.web.agreement import agreement, disagreements, discussion, second_opinions
from assess.web.campaign import accounts, campaigns, members, tokens, topics
from assess.web.collection import collection, images, threads, topic_threads
from assess.web.common.health import health
from assess.web.common.metrics import metrics
from assess.web.desk import (
    assignment_list,
    desk,
    history,
    mock,
    outcomes,
    post_tasks,
    questions,
    sidebar,
    topic_judgments,
)
from assess.web.formulas import visual_ids
from assess.web.jobs import pages as jobs
from assess.web.pool import extension, judgment_sources, planning, pools
from assess.web.pool import reports as pool_reports
from assess.web.pool import topics as pool_topics
from assess.web.releases import release_compare, releases, topic_set
from assess.web.rounds import assignment_board, assignments, progress, replacement, rounds
from assess.web.runs import baselines, fusion, runs
from assess.web.scores import categories, reliability, results, run_topics, significance, what_if

ROOMS = (
    (home, handbooks, overview),
    (accounts, tokens, campaigns, members, topic_threads, topics),
    (collection, threads, images, visual_ids),
    (runs, baselines, fusion),
    (extension, planning, pool_reports, pool_topics, pools, judgment_sources),
    (desk, mock, assignment_list, sidebar, topic_judgments, history, questions, outcomes, post_tasks),
    (assignment_board, assignments, replacement, rounds, progress),
    (agreement, second_opinions, discussion, disagreements),
    (topic_set, releases, release_compare),
    (results, run_topics, categories, significance, what_if, reliability),
    (jobs,),
)
urlpatterns = [
    path("healthz", health, name="health"),
    path("metrics", metrics, name="metrics"),
    *(address for room in ROOMS for module in room for address in module.urlpatterns),
]
