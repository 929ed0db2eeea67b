"""How each service says that it is asked too often, or that it is at fault: code, HTTP status and protocol.

Sources: "Errors" of the operations in each service's API reference, and its "Common errors" where those name
none; of Amazon S3 "Error responses", of Amazon EC2 "Error codes for the Amazon EC2 API".
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from local.aws.strict.front import Answer

JSON, REST_JSON, QUERY, EC2, S3 = "json", "rest-json", "query", "ec2", "s3"


@dataclass(frozen=True, slots=True)
class Refusal:
    code: str
    status: int
    protocol: str

    def answer(self) -> Answer:
        said = "simulated weather"
        if self.protocol in {JSON, REST_JSON}:
            body = json.dumps({"__type": self.code, "message": said}).encode()
            return Answer.of(self.status, "application/x-amz-json-1.1", body, x_amzn_ErrorType=self.code)
        error = f"<Error><Code>{self.code}</Code><Message>{said}</Message></Error>"
        whole = {
            S3: error,
            QUERY: f"<ErrorResponse>{error}<RequestId>weather</RequestId></ErrorResponse>",
            EC2: f"<Response><Errors>{error}</Errors><RequestID>weather</RequestID></Response>",
        }[self.protocol]
        return Answer.of(self.status, "text/xml", whole.encode())


THROTTLED = {
    "athena": Refusal("TooManyRequestsException", 400, JSON),
    "codebuild": Refusal("ThrottlingException", 400, JSON),
    "dynamodb": Refusal("ThrottlingException", 400, JSON),
    "ec2": Refusal("RequestLimitExceeded", 503, EC2),
    "ecr": Refusal("ThrottlingException", 400, JSON),
    "ecs": Refusal("ThrottlingException", 400, JSON),
    "lambda": Refusal("TooManyRequestsException", 429, REST_JSON),
    "pricing": Refusal("ThrottlingException", 400, JSON),
    "s3": Refusal("SlowDown", 503, S3),
    "servicequotas": Refusal("TooManyRequestsException", 400, JSON),
    "sns": Refusal("Throttled", 429, QUERY),
    "states": Refusal("ThrottlingException", 400, JSON),
}
BROKEN = {
    "athena": Refusal("InternalServerException", 500, JSON),
    "codebuild": Refusal("InternalFailure", 500, JSON),
    "dynamodb": Refusal("InternalServerError", 500, JSON),
    "ec2": Refusal("InternalError", 500, EC2),
    "ecr": Refusal("ServerException", 500, JSON),
    "ecs": Refusal("ServerException", 500, JSON),
    "lambda": Refusal("ServiceException", 500, REST_JSON),
    "pricing": Refusal("InternalErrorException", 500, JSON),
    "s3": Refusal("InternalError", 500, S3),
    "servicequotas": Refusal("ServiceException", 500, JSON),
    "sns": Refusal("InternalError", 500, QUERY),
    "states": Refusal("InternalFailure", 500, JSON),
}
#: of an id that EC2 does not know, by what the id begins with
UNKNOWN_ID = {
    "i": Refusal("InvalidInstanceID.NotFound", 400, EC2),
    "eni": Refusal("InvalidNetworkInterfaceID.NotFound", 400, EC2),
    "vol": Refusal("InvalidVolume.NotFound", 400, EC2),
    "vpce": Refusal("InvalidVpcEndpointId.NotFound", 400, EC2),
}
