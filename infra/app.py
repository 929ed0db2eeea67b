"""Entry of the CDK app: ``cdk synth`` and ``cdk deploy`` run it, and so does the run on one machine."""

from __future__ import annotations

import aws_cdk as cdk

from infra.stack import QueueBreakevenStack


def build() -> cdk.App:
    """The app, not yet synthesized; context and output folder come from the environment."""
    app = cdk.App()
    QueueBreakevenStack(app, "QueueBreakeven", description="SQS or our own RabbitMQ: measured and priced")
    return app


if __name__ == "__main__":
    build().synth()
