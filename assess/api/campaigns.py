"""Campaigns with their topics."""

from django.db.models import F, QuerySet
from rest_framework import generics, serializers

from assess.api.common import InCampaign
from assess.models import Campaign, Member, Topic
from assess.services.common.access import EVERYONE, STAFF


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    """A campaign; ``role`` is what the person asking may do in it."""

    role = serializers.ChoiceField(choices=Member.Role.choices, read_only=True)

    class Meta:
        model = Campaign
        fields = ("slug", "name", "edition", "role", "protocol", "created")


class TopicSerializer(serializers.ModelSerializer[Topic]):
    """A topic; ``title`` and ``body`` are sanitized HTML."""

    class Meta:
        model = Topic
        fields = ("topic_id", "number", "title", "body", "tags", "formula_id", "latex")


class Campaigns(generics.ListAPIView[Campaign]):
    """The campaigns that you are a member of."""

    serializer_class = CampaignSerializer

    def get_queryset(self) -> QuerySet[Campaign]:
        return Campaign.objects.visible_to(self.request.user).annotate(role=F("members__role"))  # type: ignore[no-redef]


class CampaignDetail(InCampaign, generics.RetrieveAPIView[Campaign]):
    """One campaign with its protocol."""

    serializer_class = CampaignSerializer
    roles = EVERYONE

    def get_object(self) -> Campaign:
        return self.campaign()


class Topics(InCampaign, generics.ListAPIView[Topic]):
    """The topics of a campaign."""

    serializer_class = TopicSerializer
    roles = STAFF
    queryset = Topic.objects.none()

    def get_queryset(self) -> QuerySet[Topic]:
        return self.campaign().topics.all()
