"""Errors for the person who asked for something that cannot be done now."""


class Refused(Exception):
    """The step cannot be taken; the text says why and what to do instead."""


class Conflict(Refused):
    """Something else has been decided since; ``standing`` is what is kept."""

    def __init__(self, standing: object) -> None:
        super().__init__("This was judged in another window or on another device since you opened it.")
        self.standing = standing
