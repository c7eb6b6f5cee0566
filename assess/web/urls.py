"""The addresses of the pages, room by room; those of a campaign are below its own. A page has one address; a query
names its parts."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path

from assess.web import handbooks, home
from assess.web.agreement import agreement, discussion
from assess.web.campaign import accounts, campaigns, members, topics
from assess.web.collection import collection, threads
from assess.web.common.doors import with_parts
from assess.web.common.monitoring import health, metrics
from assess.web.desk import assignment_list, desk, history, post_tasks, questions, sidebar
from assess.web.formulas import visual_ids
from assess.web.jobs import pages as jobs
from assess.web.pool import judgment_sources, planning, pools
from assess.web.pool import topics as pool_topics
from assess.web.releases import releases, topic_set
from assess.web.rounds import assignments, progress, rounds
from assess.web.rounds.round_forms import AdjudicationForm, DualForm
from assess.web.runs import making, runs
from assess.web.scores import reliability, results, what_if

CAMPAIGN: list[URLPattern | URLResolver] = [
    path("", home.campaign, name="campaign"),
    path(
        "edit/",
        with_parts(campaigns.campaign_edit, desk=desk.settings_desk, history=history.history),
        name="campaign_edit",
    ),
    path("lab.toml", campaigns.campaign_lab, name="campaign_lab"),
    path("clone/", campaigns.campaign_clone, name="campaign_clone"),
    path("archive/", campaigns.campaign_archive, name="campaign_archive"),
    path("delete/", campaigns.campaign_delete, name="campaign_delete"),
    path("members/", with_parts(members.members, replace=assignments.replace_member), name="members"),
    path("members/write/", members.write_to_members, name="write_to_members"),
    path("members/<int:pk>/", members.member, name="member"),
    path("members/<int:pk>/interests/", members.member_interests, name="member_interests"),
    path("members/<int:pk>/remove/", members.member_remove, name="member_remove"),
    path("members/users/<int:pk>/link/", members.member_link, name="member_link"),
    path("members/invitations/<int:pk>/withdraw/", members.invitation_withdraw, name="invitation_withdraw"),
    path("topics/", with_parts(topics.topics, topic_threads=threads.threads_of_topics), name="topics"),
    path("topics/sheet/", topics.topic_sheet, name="topic_sheet"),
    path("topics/delete/", topics.topics_delete, name="topics_delete"),
    path("topics/<str:topic_id>/", with_parts(topics.topic, thread=threads.topic_thread_page), name="topic"),
    path("topics/<str:topic_id>/delete/", topics.topics_delete, name="topic_delete"),
    path(
        "collection/",
        with_parts(
            collection.collection,
            collection_images=collection.collection_images,
            formulas=visual_ids.overview,
            repair=visual_ids.mixed,
            visual_id=visual_ids.cluster,
        ),
        name="collection",
    ),
    path("threads/<path:thread_id>/", threads.thread_page, name="thread"),
    path("images/<str:name>", collection.post_image, name="post_image"),
    path("formulas/compute/", visual_ids.compute_start, name="formulas_compute"),
    path("formulas/repairs/<int:number>/moved/", visual_ids.moved, name="formula_repair_moved"),
    path("formulas/repairs/<int:number>/apply/", visual_ids.repair_start, name="formula_repair_apply"),
    path("runs/", with_parts(runs.runs, baselines=making.baselines, fuse=making.fuse), name="runs"),
    path("runs/<int:pk>/file/", runs.run_file, name="run_file"),
    path("runs/<int:pk>/delete/", runs.run_delete, name="run_delete"),
    path("runs/<int:pk>/withdraw/", runs.run_withdraw, name="run_withdraw"),
    path("runs/query-formulas.tsv", making.download_query_formulas, name="query_formulas"),
    path(
        "pool/",
        with_parts(
            pools.pool,
            extend=planning.extend,
            plan=planning.pool_plan,
            report_on=planning.pool_report,
            topic=pool_topics.pool_topic,
        ),
        name="pool",
    ),
    path("pool/freeze/", pools.pool_freeze, name="pool_freeze"),
    path("pool/leave-out/", pools.pool_leave_out, name="pool_leave_out"),
    path("pool/discard/", pools.pool_discard, name="pool_discard"),
    path("pool/unfreeze/", pools.pool_unfreeze, name="pool_unfreeze"),
    path("pool/<int:version>/file/", pools.pool_file, name="pool_file"),
    path("pool/<int:version>/missing/file/", pools.pool_missing_file, name="pool_missing_file"),
    path("judgments/", judgment_sources.judgment_sources, name="judgment_sources"),
    path("judgments/<int:pk>/delete/", judgment_sources.judgment_source_delete, name="judgment_source_delete"),
    path("preview/<int:pk>/<int:place>/", desk.preview, name="preview"),
    path("guidelines/", questions.guidelines, name="guidelines"),
    path("questions/", with_parts(questions.questions, outcomes=questions.outcome_list), name="questions"),
    path("questions/rule/", questions.ruling_add, name="rule"),
    path("questions/<int:pk>/answer/", questions.question_answer, name="answer"),
    path("questions/rulings/<int:pk>/", questions.ruling_change, name="ruling_change"),
    path("written/answers.tsv", post_tasks.written_file, name="written_file"),
    path(
        "assignments/",
        with_parts(assignments.assignments, board=assignments.assignment_board, hand_over=assignments.hand_over),
        name="assignments",
    ),
    path("assignments/assign/", assignments.assign, name="assign"),
    path("assignments/spread/", assignments.spread, name="spread"),
    path("assignments/take-back/", assignments.take_back_all, name="take_back_all"),
    path("assignments/give-back/", assignments.give_back, name="give_back"),
    path("assignments/<int:pk>/take-back/", assignments.take_back, name="take_back"),
    path("assignments/<int:pk>/pause/", assignments.pause, name="pause"),
    path("rounds/", rounds.rounds, name="rounds"),
    path("rounds/dual/", rounds.round_assign, {"make": DualForm}, name="round_dual"),
    path("rounds/adjudicate/", rounds.round_assign, {"make": AdjudicationForm}, name="round_adjudicate"),
    path("rounds/prepare/", rounds.round_prepare, name="round_prepare"),
    path("rounds/<int:pk>/change/", rounds.round_change, name="round_change"),
    path("rounds/<int:pk>/discuss/", rounds.round_discuss, name="round_discuss"),
    path("rounds/<int:pk>/members/", rounds.round_join, name="round_join"),
    path("rounds/<int:pk>/delete/", rounds.round_delete, name="round_delete"),
    path("members/<int:pk>/admit/", rounds.admit, name="member_admit"),
    path("progress/", with_parts(progress.progress, history=history.document_history), name="progress"),
    path("timesheet.csv", progress.timesheet_file, name="timesheet"),
    path("agreement/", agreement.agreement, name="agreement"),
    path("agreement/compute/", agreement.agreement_start, name="agreement_start"),
    path("round/", discussion.round_page, name="round"),
    path("rounds/<int:pk>/gold/<int:instance>/", discussion.gold, name="gold"),
    path("rounds/<int:pk>/notes/<int:instance>/", discussion.note, name="note"),
    path("disagreements/", agreement.disagreement_list, name="disagreements"),
    path("statistics.<slug:file_format>", topic_set.statistics_file, name="statistics_file"),
    path("releases/", with_parts(releases.releases, topic_set=topic_set.topic_set), name="releases"),
    path("releases/<int:version>/manifest/", releases.release_manifest, name="release_manifest"),
    path("releases/<int:version>/items/", releases.release_items, name="release_items"),
    path("releases/<int:version>/verify/", releases.verification_start, name="verification_start"),
    path("releases/<int:version>/<slug:unit>/<slug:grades>/", releases.release_file, name="release_file"),
    path("releases/<int:version>/folder.zip", releases.release_zip, name="release_folder"),
    path("export/<slug:kind>.<slug:file_format>", releases.export_file, name="export_file"),
    path(
        "results/",
        with_parts(results.results, statistics=topic_set.statistics, written_report=post_tasks.written_report),
        name="results",
    ),
    path("results.<slug:file_format>", results.results_file, name="results_file"),
    path("judgments/<int:pk>/what-if/", what_if.what_if_start, name="what_if_start"),
    path("reliability/", reliability.reliability, name="reliability"),
    path("reliability/<int:pk>.json", reliability.reliability_file, name="reliability_file"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/start/<slug:kind>/", jobs.job_start, name="job_start"),
]

urlpatterns = [
    path("healthz", health, name="health"),
    path("metrics", metrics, name="metrics"),
    path("", home.home, name="home"),
    path("help/", handbooks.help_page, name="help"),
    path("help/<slug:name>/<slug:here>", handbooks.handbook_page, name="handbook"),
    path("help/<slug:name>/", handbooks.handbook_page, name="handbook"),
    path("login/", accounts.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/sessions/", accounts.end_sessions, name="end_sessions"),
    path("invitations/<int:pk>/", accounts.invitation_answer, name="invitation_answer"),
    path("password/", accounts.PasswordChange.as_view(), name="password_change"),
    path("password/forgotten/", accounts.Forgotten.as_view(), name="forgotten"),
    path("password/<uidb64>/<token>/", accounts.SetPassword.as_view(), name="set_password"),
    path("account/tokens/", accounts.api_tokens, name="api_tokens"),
    path("account/tokens/<int:pk>/revoke/", accounts.api_token_revoke, name="api_token_revoke"),
    path("campaigns/new/", campaigns.campaign_new, name="campaign_new"),
    path("judge/<int:pk>/<int:place>/", desk.judge, name="judge"),
    path("judge/<int:pk>/<int:place>/defer/", desk.defer, name="defer"),
    path("judge/<int:pk>/items/", desk.batch, name="items"),
    path("judge/<int:pk>/", assignment_list.assignment_list, name="assignment"),
    path("judge/<int:pk>/next/", assignment_list.next_open, name="next_open"),
    path("judge/<int:pk>/news/", sidebar.news, name="desk_news"),
    path("judge/<int:pk>/<int:place>/ask/", sidebar.ask, name="ask"),
    path("judge/<int:pk>/rulings/<int:ruling>/seen/", sidebar.ruling_seen, name="ruling_seen"),
    path("judge/<int:pk>/written/", post_tasks.next_written, name="written"),
    path("judge/<int:pk>/written/<int:number>/", post_tasks.written_answer, name="written_answer"),
    path("jobs/<int:pk>/", jobs.job, name="job"),
    path("jobs/<int:pk>/progress/", jobs.job_progress, name="job_progress"),
    path("jobs/<int:pk>/cancel/", jobs.job_cancel, name="job_cancel"),
    path("jobs/<int:pk>/restart/", jobs.job_restart, name="job_restart"),
    path("jobs/<int:pk>/delete/", jobs.job_delete, name="job_delete"),
    path("c/<slug:slug>/", include(CAMPAIGN)),
]
