"""Fields that forms of several rooms share."""

import pytest
from django.contrib.auth.models import User
from django.forms import ValidationError

from assess.web.common.forms import RowsField
from tests import cast


@pytest.mark.django_db
@pytest.mark.parametrize("key", [2**63, 10**400, -1, "none"])
def test_keys_that_no_row_can_have_are_refused(key: object) -> None:
    user = cast.make_user("ada")
    assert list(RowsField(User.objects.all()).clean([str(user.pk)])) == [user]
    with pytest.raises(ValidationError):
        RowsField(User.objects.all()).clean([str(user.pk), str(key)])
