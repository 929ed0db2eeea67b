"""What ``breakeven doctor`` says of the networks that a first deployment makes."""

from __future__ import annotations

import pytest

from cli.doctor.doctor_machines import vpcs
from tests.support.aws.one_page import OnePage
from tests.unit.cli.test_cli_doctor import account


class Ec2(OnePage):
    def __init__(self, count: int) -> None:
        self._count = count

    def describe_vpcs(self) -> dict[str, list[dict[str, str]]]:
        return {"Vpcs": [{"VpcId": f"vpc-{n}"} for n in range(self._count)]}


@pytest.mark.parametrize(
    ("there", "most", "level"), [(1, 5.0, "ok"), (3, 5.0, "ok"), (4, 5.0, "stop"), (4, 50.0, "ok")]
)
def test_a_region_has_room_for_the_networks_of_a_first_deployment_or_not(there, most, level):
    quotas = {"get_service_quota": lambda **_: {"Quota": {"Value": most}}}
    ec2 = {"get_paginator": Ec2(there).get_paginator}
    found = vpcs(account(service_quotas=quotas, ec2=ec2))
    assert found[0] == level
    assert f"{there} of {most:g} VPCs of eu-west-1" in found[1]
    assert ("breakeven:vpc_id" in found[1]) == (level == "stop")
