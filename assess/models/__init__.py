"""What the database keeps: what people look at and decide. Bulk data (collections) is stored in columns outside it."""

from assess.models.campaign import Account, Action, ApiToken, Campaign, Invitation, Member, Topic
from assess.models.collection import Collection, Comment, Post, PostLink, VisualMap
from assess.models.evaluation import Evaluation, RankProfile, ReliabilityReport, Score
from assess.models.job import SHARED, Job, JobKind, Made, OnProgress, Resource, Step, kinds_of_jobs
from assess.models.judging import (
    AgreementReport,
    Deferral,
    DiscussionNote,
    Judgment,
    JudgmentEvent,
    JudgmentSource,
    PostTask,
    Question,
    Ruling,
    RulingSeen,
    SecondOpinion,
    SourceLine,
    WhatIf,
)
from assess.models.pool import Assignment, GoldGrade, Instance, Pool, PoolEntry, Round
from assess.models.qrels import Qrels, QrelsLine, QrelsPart
from assess.models.run import MadeFile, Ranking, Run, WrittenAnswer
