"""Errors for the person who asked for something that cannot be done now."""


class Refused(Exception):
    """The step cannot be taken; the text says why and what to do instead."""
