"""What the clients of SQS share of botocore: its errors as the loader knows them, and made-up credentials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from breakeven.clients.base import CallFailed, ConnectionLost

#: for a server that is not the service and looks at neither
ANY_CREDENTIALS, ANY_REGION = ("any", "any"), "us-east-1"


@contextmanager
def service_errors(taken: int = 0) -> Iterator[None]:
    """What goes wrong in a call, as the loader knows it."""
    try:
        yield
    except ClientError as error:
        raise CallFailed(str(error.response.get("Error", {}).get("Code", "Unknown")), taken) from error
    except HTTPClientError as error:  # refused, reset, timed out
        raise ConnectionLost(str(error)) from error
    except BotoCoreError as error:
        raise ConnectionLost(f"{type(error).__name__}: {error}") from error
