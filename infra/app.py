"""Entry of the CDK app: ``cdk synth`` and ``cdk deploy`` run it, and so does the run on one machine."""

from __future__ import annotations

import os
import sys

import aws_cdk as cdk

from breakeven.errors import InputError
from infra.context.context_read import read_context
from infra.stack import QueueBreakevenStack

BAD_INPUT = 2


def build(app: cdk.App | None = None) -> cdk.App:
    """The app, not yet synthesized; context and output folder come from the environment.

    :raises InputError: the context is wrong
    """
    app = app or cdk.App()
    context = read_context(app.node.get_all_context(), os.environ.get("CDK_DEFAULT_REGION"))
    QueueBreakevenStack(app, context)
    return app


def main() -> int:
    """Synthesize; returns the exit code, which the CDK's command line takes for its own."""
    try:
        app = build()
    except InputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    app.synth()
    return 0


if __name__ == "__main__":
    sys.exit(main())
