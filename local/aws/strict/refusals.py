"""Errors as the services answer them, in their protocols, and what each says of too many calls or of a fault.

Sources: each service's API reference, "Errors" of the operation, and its "Common errors" where those name
none; of Amazon S3 "Error responses", of Amazon EC2 "Error codes for the Amazon EC2 API".
"""

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
    message: str = "simulated weather"
    status: int = 400

    def answer(self, service: str, protocol: str | None = None) -> Answer:
        """In the protocol of the service with that signing name, unless another one is said."""
        model, number = model_of(service), str(uuid.uuid4())
        protocol = protocol or (model.protocol if model else "query")
        if protocol in {"json", "rest-json"}:
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


#: service -> of too many calls, and of a fault of its own
OF_WEATHER = {
    "athena": (Refusal("TooManyRequestsException"), Refusal("InternalServerException", status=500)),
    "codebuild": (Refusal("ThrottlingException"), Refusal("InternalFailure", status=500)),
    "dynamodb": (Refusal("ThrottlingException"), Refusal("InternalServerError", status=500)),
    "ec2": (Refusal("RequestLimitExceeded", status=503), Refusal("InternalError", status=500)),
    "ecr": (Refusal("ThrottlingException"), Refusal("ServerException", status=500)),
    "ecs": (Refusal("ThrottlingException"), Refusal("ServerException", status=500)),
    "lambda": (Refusal("TooManyRequestsException", status=429), Refusal("ServiceException", status=500)),
    "pricing": (Refusal("ThrottlingException"), Refusal("InternalErrorException", status=500)),
    "s3": (Refusal("SlowDown", status=503), Refusal("InternalError", status=500)),
    "servicequotas": (Refusal("TooManyRequestsException"), Refusal("ServiceException", status=500)),
    "sns": (Refusal("Throttled", status=429), Refusal("InternalError", status=500)),
    "states": (Refusal("ThrottlingException"), Refusal("InternalFailure", status=500)),
}
#: of an id that EC2 does not know, by what the id begins with
UNKNOWN_ID = {
    "i": Refusal("InvalidInstanceID.NotFound"),
    "eni": Refusal("InvalidNetworkInterfaceID.NotFound"),
    "vol": Refusal("InvalidVolume.NotFound"),
    "vpce": Refusal("InvalidVpcEndpointId.NotFound"),
}
