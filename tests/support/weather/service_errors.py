"""What each service says of too many calls or of a fault, and EC2 of what it does not know.

Sources: each service's API reference, "Errors" of the operation, and its "Common errors" where those name
none; of Amazon S3 "Error responses", of Amazon EC2 "Error codes for the Amazon EC2 API".
"""

from __future__ import annotations

from functools import partial

from local.aws.strict.refusals import Refusal

_refusal = partial(Refusal, message="simulated weather")

#: service -> of too many calls, and of a fault of its own
OF_WEATHER = {
    "athena": (_refusal("TooManyRequestsException"), _refusal("InternalServerException", status=500)),
    "codebuild": (_refusal("ThrottlingException"), _refusal("InternalFailure", status=500)),
    "dynamodb": (_refusal("ThrottlingException"), _refusal("InternalServerError", status=500)),
    "ec2": (_refusal("RequestLimitExceeded", status=503), _refusal("InternalError", status=500)),
    "ecr": (_refusal("ThrottlingException"), _refusal("ServerException", status=500)),
    "ecs": (_refusal("ThrottlingException"), _refusal("ServerException", status=500)),
    "lambda": (_refusal("TooManyRequestsException", status=429), _refusal("ServiceException", status=500)),
    "pricing": (_refusal("ThrottlingException"), _refusal("InternalErrorException", status=500)),
    "s3": (_refusal("SlowDown", status=503), _refusal("InternalError", status=500)),
    "servicequotas": (_refusal("TooManyRequestsException"), _refusal("ServiceException", status=500)),
    "sns": (_refusal("Throttled", status=429), _refusal("InternalError", status=500)),
    "states": (_refusal("ThrottlingException"), _refusal("InternalFailure", status=500)),
}
#: of an id that EC2 does not know, by what the id begins with
UNKNOWN_ID = {
    "i": _refusal("InvalidInstanceID.NotFound"),
    "eni": _refusal("InvalidNetworkInterfaceID.NotFound"),
    "vol": _refusal("InvalidVolume.NotFound"),
    "vpce": _refusal("InvalidVpcEndpointId.NotFound"),
}
