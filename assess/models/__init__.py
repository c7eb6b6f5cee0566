"""What the database keeps: what people look at and decide. Bulk data (collections) is stored in columns outside it."""

from assess.models.account import Account
from assess.models.action import Action
from assess.models.agreement import AgreementReport
from assess.models.campaign import Campaign, Invitation, Member, Topic
from assess.models.collection import Collection, Comment, Post, PostLink
from assess.models.evaluation import Evaluation, RankProfile, Score
from assess.models.formulas import VisualMap
from assess.models.job import Job
from assess.models.judging import Deferral, Judgment, JudgmentEvent
from assess.models.judgment_source import JudgmentSource, SecondOpinion, SourceLine, WhatIf
from assess.models.pool import Assignment, GoldGrade, Instance, Pool, PoolEntry, Round
from assess.models.post_task import PostTask
from assess.models.qrels import Qrels, QrelsLine, QrelsPart
from assess.models.reliability import ReliabilityReport
from assess.models.ruling import Question, Ruling, RulingSeen
from assess.models.run import MadeFile, Ranking, Run, WrittenAnswer

__all__ = [
    "Account",
    "Action",
    "AgreementReport",
    "Assignment",
    "Campaign",
    "Collection",
    "Comment",
    "Deferral",
    "Evaluation",
    "GoldGrade",
    "Instance",
    "Invitation",
    "Job",
    "Judgment",
    "JudgmentEvent",
    "JudgmentSource",
    "MadeFile",
    "Member",
    "Pool",
    "PoolEntry",
    "Post",
    "PostLink",
    "PostTask",
    "Qrels",
    "QrelsLine",
    "QrelsPart",
    "Question",
    "RankProfile",
    "Ranking",
    "ReliabilityReport",
    "Round",
    "Ruling",
    "RulingSeen",
    "Run",
    "Score",
    "SecondOpinion",
    "SourceLine",
    "Topic",
    "VisualMap",
    "WhatIf",
    "WrittenAnswer",
]
