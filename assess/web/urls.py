"""The addresses of the pages, room by room."""

from django.urls import path

from assess.web import handbooks, home, overview
from assess.web.agreement import agreement, disagreements, discussion, second_opinions
from assess.web.campaign import accounts, campaigns, members, topics
from assess.web.collection import collection, images, threads, topic_threads
from assess.web.common.health import health
from assess.web.desk import assignment_list, desk, history, outcomes, post_tasks, questions, sidebar, topic_judgments
from assess.web.formulas import visual_ids
from assess.web.jobs import pages as jobs
from assess.web.pool import extension, judgment_sources, missing, planning, pools
from assess.web.pool import reports as pool_reports
from assess.web.pool import topics as pool_topics
from assess.web.releases import export, release_compare, release_folder, releases, statistics, topic_set
from assess.web.rounds import assignment_board, assignments, progress, rounds
from assess.web.runs import baselines, fusion, runs
from assess.web.scores import categories, correlations, reliability, results, run_topics, significance, what_if

urlpatterns = [
    path("healthz", health, name="health"),
    *home.urlpatterns,
    *handbooks.urlpatterns,
    *overview.urlpatterns,
    *accounts.urlpatterns,
    *campaigns.urlpatterns,
    *members.urlpatterns,
    *topic_threads.urlpatterns,
    *topics.urlpatterns,
    *collection.urlpatterns,
    *threads.urlpatterns,
    *images.urlpatterns,
    *visual_ids.urlpatterns,
    *runs.urlpatterns,
    *baselines.urlpatterns,
    *fusion.urlpatterns,
    *extension.urlpatterns,
    *planning.urlpatterns,
    *pool_reports.urlpatterns,
    *pool_topics.urlpatterns,
    *pools.urlpatterns,
    *missing.urlpatterns,
    *judgment_sources.urlpatterns,
    *desk.urlpatterns,
    *assignment_list.urlpatterns,
    *sidebar.urlpatterns,
    *assignment_board.urlpatterns,
    *assignments.urlpatterns,
    *topic_judgments.urlpatterns,
    *history.urlpatterns,
    *rounds.urlpatterns,
    *questions.urlpatterns,
    *outcomes.urlpatterns,
    *post_tasks.urlpatterns,
    *progress.urlpatterns,
    *agreement.urlpatterns,
    *second_opinions.urlpatterns,
    *discussion.urlpatterns,
    *disagreements.urlpatterns,
    *topic_set.urlpatterns,
    *statistics.urlpatterns,
    *releases.urlpatterns,
    *release_compare.urlpatterns,
    *release_folder.urlpatterns,
    *results.urlpatterns,
    *run_topics.urlpatterns,
    *categories.urlpatterns,
    *significance.urlpatterns,
    *correlations.urlpatterns,
    *what_if.urlpatterns,
    *reliability.urlpatterns,
    *export.urlpatterns,
    *jobs.urlpatterns,
]
