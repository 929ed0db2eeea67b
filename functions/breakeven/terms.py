"""Words that every room shares: where a run is made, where a figure comes from, and facts of services."""

from __future__ import annotations

from typing import Literal

#: where a run can be made
Environment = Literal["aws", "local"]
Provenance = Literal["measured", "emulated", "published"]

#: bytes of one message of SQS, attributes included, and of all bodies of a batch together: 1 MiB since
#: 2025-08-04, 256 KiB before. Source: AWS What's New, 4 August 2025, "Amazon SQS increases maximum message
#: payload size to 1 MiB"; Amazon SQS Developer Guide, message quotas.
SQS_MAX_MESSAGE_BYTES = 1_048_576
