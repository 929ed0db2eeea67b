"""The event that EventBridge delivers when an execution's status has changed.

As documented: Step Functions Developer Guide, "Automating Step Functions event delivery with EventBridge".
"""

from __future__ import annotations

from typing import Any


def status_change(state_machine: str, name: str, status: str, **detail: Any) -> dict[str, Any]:
    """:param state_machine: its ARN; ``detail`` wins over what an execution without input or error has"""
    execution = f"{state_machine.replace(':stateMachine:', ':execution:')}:{name}"
    _, _, _, region, account, *_ = state_machine.split(":")
    return {
        "version": "0",
        "id": "315c1398-40ff-a850-213b-158f73e60175",
        "detail-type": "Step Functions Execution Status Change",
        "source": "aws.states",
        "account": account,
        "time": "2019-02-26T19:42:21Z",
        "region": region,
        "resources": [execution],
        "detail": {
            "executionArn": execution,
            "stateMachineArn": state_machine,
            "name": name,
            "status": status,
            "startDate": 1551225146847,
            "stopDate": None if status == "RUNNING" else 1551225151881,
            "input": "{}",
            "output": None,
            "stateMachineVersionArn": None,
            "stateMachineAliasArn": None,
            "redriveCount": 0,
            "redriveDate": None,
            "redriveStatus": "NOT_REDRIVABLE",
            "redriveStatusReason": "Execution is RUNNING and cannot be redriven",
            "inputDetails": {"included": True},
            "outputDetails": None,
            "error": None,
            "cause": None,
            **detail,
        },
    }
