"""What can go wrong with an op run, one type a kind. Each says what happened, where, and what to do."""

from __future__ import annotations

from ..plain_text import plain

__all__ = [
    "BadReplyError",
    "CaseError",
    "ConnectionFailedError",
    "DeadlinePassedError",
    "DependencyMissingError",
    "DispatchError",
    "OpFailedError",
    "RequestRefusedError",
    "RunCancelledError",
    "ServerBusyError",
    "SyncRefusedError",
]


class DispatchError(Exception):
    """An op run that gave no result.

    Attributes:
        hint: what to do about it, one plain line; may be empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(plain(message))
        self.hint = plain(hint)


class CaseError(DispatchError):
    """The case can't be sent as it is. Nothing was sent."""


class ConnectionFailedError(DispatchError):
    """No answer came: nothing listens, the name is unknown, TLS was refused or the connection broke.

    Attributes:
        lasting: another try would end the same way: an unknown name, a certificate not accepted.
    """

    def __init__(self, message: str, *, lasting: bool = False, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.lasting = lasting


class ServerBusyError(DispatchError):
    """The server's run gate stayed full (503) until the budget or the deadline ended. The op did not run.

    Attributes:
        retry_after_s: when the server asks to come back, in seconds; None when it does not say.
    """

    retry_after_s: float | None = None


class DeadlinePassedError(DispatchError):
    """The run took longer than the person allowed."""


class RunCancelledError(DispatchError):
    """A person ended the run."""


class DependencyMissingError(DispatchError):
    """The server can't import a module that the spec needs (424).

    Attributes:
        missing: the module's dotted name as the server gave it, made plain.
    """

    def __init__(self, message: str, *, missing: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.missing = plain(missing, 200)


class SyncRefusedError(DispatchError):
    """The server did not take an uploaded file."""


class OpFailedError(DispatchError):
    """The server ran the op, or tried to, and it failed.

    Attributes:
        status: HTTP status.
        kind: type of the server's exception, e.g. `RuntimeError`; empty where the server names none.
        text: the server's message, plain and capped.
        api: what ran or was asked for, as the server says it; empty when it says nothing.
    """

    def __init__(self, message: str, *, status: int, kind: str, text: str, api: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.kind = kind
        self.text = text
        self.api = api


class RequestRefusedError(OpFailedError):
    """The server refused the request (400, 404, 413, 431, 501 ...): the op did not run, or its arguments were wrong."""


class BadReplyError(DispatchError):
    """What came back is no reply of an op server, or contradicts itself."""
