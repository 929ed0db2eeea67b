"""The way to an installation while a run of it is followed: it may break for a while, and the run goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from breakeven.errors import BreakevenError, InputError
from cli.running.deployed import CREDENTIALS, Deployed, is_about_credentials
from cli.running.progress import View

T = TypeVar("T")
#: how long AWS may not answer, or credentials be out of date, before the run is not followed any more
PATIENCE_S = 900.0
TRY_AGAIN_S = 5.0


class LostError(BreakevenError):
    """The run cannot be followed any more; it goes on."""


@dataclass
class Line:
    """:param renew: finds the installation again, with what credentials the account's settings then have"""

    deployed: Deployed
    renew: Callable[[], Deployed]
    view: View

    def ask(self, question: Callable[[Deployed], T]) -> T:
        """The answer, once there is one.

        :raises LostError: AWS refuses it, or there is none for ``PATIENCE_S``
        """
        since, said = time.monotonic(), False
        while True:
            try:
                return question(self.deployed)
            except (ClientError, BotoCoreError) as error:
                if not is_passing(error) or time.monotonic() - since > PATIENCE_S:
                    raise LostError(str(error)) from error
                if not said:
                    remedy = f"; {CREDENTIALS}" if is_about_credentials(error) else ""
                    self.view.say(
                        f"no answer of AWS ({error}): asked again for {PATIENCE_S / 60:.0f} min{remedy}"
                    )
                    said = True
            time.sleep(TRY_AGAIN_S)
            self._renew()

    def _renew(self) -> None:
        try:
            self.deployed = self.renew()
        except InputError:
            return  # whoever follows has been told, and may yet mend it


def is_passing(error: ClientError | BotoCoreError) -> bool:
    """Is the network or the service at fault, or are the credentials? Then it may be another answer later."""
    if isinstance(error, BotoCoreError) or is_about_credentials(error):
        return True
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    return status >= 500 or status == 429 or "Throttl" in error.response["Error"].get("Code", "")
