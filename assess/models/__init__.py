"""What the database keeps: what people look at and decide. Bulk (collections) lies in columns beside it."""

from assess.models.agreement import AgreementReport
from assess.models.campaign import Campaign, Member, Topic
from assess.models.collection import Collection, Comment, Post, PostLink
from assess.models.evaluation import Evaluation, Score
from assess.models.formulas import VisualMap
from assess.models.job import Job
from assess.models.judging import Judgment, JudgmentEvent
from assess.models.pool import Assignment, Instance, Pool, PoolEntry, Round
from assess.models.qrels import Qrels, QrelsLine
from assess.models.run import MadeFile, Ranking, Run, WrittenAnswer

__all__ = [
    "AgreementReport",
    "Assignment",
    "Campaign",
    "Collection",
    "Comment",
    "Evaluation",
    "Instance",
    "Job",
    "Judgment",
    "JudgmentEvent",
    "MadeFile",
    "Member",
    "Pool",
    "PoolEntry",
    "Post",
    "PostLink",
    "Qrels",
    "QrelsLine",
    "Ranking",
    "Round",
    "Run",
    "Score",
    "Topic",
    "VisualMap",
    "WrittenAnswer",
]
