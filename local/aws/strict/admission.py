"""The layer that answers nobody but the run's own processes.

The simulated AWS listens on a loopback port, which every program of the machine reaches, whoever runs it, and
any page in a browser. Behind it are the run's objects, passwords of brokers among them, and a service that
starts processes. So each control plane has a session token of its own, which only its processes are given.
"""

from __future__ import annotations

from secrets import compare_digest

from local.aws.strict.front import Answer, PassOn, Request

REFUSED = b"This is the simulated AWS of a run under way, which answers the processes of that run alone.\n"


class Admission:
    """:param token: the ``AWS_SESSION_TOKEN`` of who is answered"""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def __call__(self, request: Request, pass_on: PassOn) -> Answer:
        given = request.environ.get("HTTP_X_AMZ_SECURITY_TOKEN", "")
        if compare_digest(given.encode(), self._token):
            return pass_on(request)
        return Answer.of(403, "text/plain", REFUSED)
