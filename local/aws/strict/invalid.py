"""What services answer to parameters that they do not take: code, status and words, in their protocols.

Sources: each service's API reference, "Errors" of the operation and "Common errors"; of EC2 "Error codes".
"""

from __future__ import annotations

import json
from xml.sax.saxutils import escape

from local.aws.strict.front import Answer

JSON, REST_JSON, QUERY, EC2, REST_XML = "json", "rest-json", "query", "ec2", "rest-xml"
NUMBER = "00000000-0000-0000-0000-000000000000"


def invalid(protocol: str, code: str, message: str, status: int = 400) -> Answer:
    """:param protocol: the service's, as botocore's models name it"""
    if protocol in {JSON, REST_JSON}:
        body = json.dumps({"__type": code, "message": message}).encode()
        return Answer.of(status, "application/x-amz-json-1.1", body, x_amzn_ErrorType=code)
    error = f"<Code>{code}</Code><Message>{escape(message)}</Message>"
    whole = {
        REST_XML: f"<Error>{error}<RequestId>{NUMBER}</RequestId></Error>",
        EC2: f"<Response><Errors><Error>{error}</Error></Errors><RequestID>{NUMBER}</RequestID></Response>",
    }
    other = f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error><RequestId>{NUMBER}</RequestId>"
    body = whole.get(protocol, f"{other}</ErrorResponse>").encode()
    return Answer.of(status, "text/xml", body)
