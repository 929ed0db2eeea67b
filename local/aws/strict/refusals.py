"""Errors as the services answer them, in their protocols."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from xml.sax.saxutils import escape

from local.aws.strict.front import Answer
from local.aws.strict.requests.models import model_of


@dataclass(frozen=True, slots=True)
class Refusal:
    code: str
    message: str
    status: int = 400

    def answer(self, service: str, protocol: str | None = None) -> Answer:
        """In the protocol of the service with that signing name, unless another one is said."""
        model, number = model_of(service), str(uuid.uuid4())
        protocol = protocol or (model.protocol if model else "query")
        # botocore speaks JSON to a service whose first protocol it does not know, as CloudWatch's
        if protocol in {"json", "rest-json", "smithy-rpc-v2-cbor"}:
            body = json.dumps({"__type": self.code, "message": self.message}).encode()
            return Answer.of(self.status, "application/x-amz-json-1.1", body, x_amzn_ErrorType=self.code)
        error = f"<Code>{self.code}</Code><Message>{escape(self.message)}</Message>"
        if protocol == "rest-xml":
            said = f"<Error>{error}<RequestId>{number}</RequestId></Error>"
        elif protocol == "ec2":
            said = (
                f"<Response><Errors><Error>{error}</Error></Errors><RequestID>{number}</RequestID></Response>"
            )
        else:
            said = f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error><RequestId>{number}</RequestId>"
            said += "</ErrorResponse>"
        return Answer.of(self.status, "text/xml;charset=UTF-8", said.encode(), x_amzn_RequestId=number)
