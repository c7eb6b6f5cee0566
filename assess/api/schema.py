"""The machine-readable description of the API: what every door answers if something fails."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction

from assess.api.problems import PROBLEM, ProblemSerializer

FAILURES = ["401", "403", "404", "429"]
OF_BODIES = ["400", "409", "413", "415", "422"]


class ProblemSchema(AutoSchema):
    """Adds the failures that every door can answer, in the form of RFC 9457."""

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        statuses = FAILURES + (OF_BODIES if self.method in ("POST", "PUT", "PATCH") else [])
        describe: Any = self._get_response_for_code
        failures = {each: describe(ProblemSerializer, each, [PROBLEM]) for each in statuses}
        return failures | super()._get_response_bodies(direction)
