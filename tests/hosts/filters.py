"""Packet filters for hosts of our own: security groups and routes as rules of nftables.

Security groups are stateful, and drop what no rule names, also between their members: Amazon VPC User Guide,
"Control traffic to your AWS resources using security groups". The same page names what they do not filter:
DHCP, the Amazon DNS server, the metadata service and the time service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_network

from tests.hosts.template_network import Group, Rule, Subnet

METADATA, DNS, TIME = "169.254.169.254", "169.254.169.253", "169.254.169.123"
UNFILTERED = f"{{ {DNS}, {METADATA}, {TIME} }}"
CARD = "eth0"

Members = Callable[[str], Sequence[str]]


def interface_rules(group: Group, members: Members, extra_ports_out: Sequence[int] = ()) -> str:
    """A host's own: what the group of its network interface lets in and out.

    :param members: group -> the addresses, or ranges ``A-B``, of the hosts that are in it
    :param extra_ports_out: what this machine needs to reach its mirrors, and no template says
    """
    return f"""
table inet interface {{
  chain arriving {{
    type filter hook input priority 0; policy drop;
    iifname != "{CARD}" accept
    ct state established,related accept
    udp sport 67 udp dport 68 accept
    {_lines(group.ingress, "saddr", members)}
  }}
  chain leaving {{
    type filter hook output priority 0; policy drop;
    oifname != "{CARD}" accept
    ct state established,related accept
    udp sport 68 udp dport 67 accept
    ip daddr {UNFILTERED} accept
    {_lines(group.egress, "daddr", members)}
    {" ".join(f"tcp dport {port} accept;" for port in extra_ports_out)}
  }}
}}
"""


def _lines(rules: Sequence[Rule], side: str, members: Members) -> str:
    return "\n    ".join(line for rule in rules for line in _matching(rule, side, members))


def _matching(rule: Rule, side: str, members: Members) -> Iterator[str]:
    peers = list(members(rule.peer)) if rule.is_of_group else [rule.peer]
    if not peers:
        return
    of_peers = f"ip {side} {{ {', '.join(peers)} }}"
    first, last = rule.ports
    if rule.protocol == "-1":
        yield f"{of_peers} accept"
    elif rule.protocol in ("tcp", "udp"):
        ports = str(first) if first == last else f"{first}-{last}"
        yield f"{of_peers} {rule.protocol} dport {ports} accept"
    else:
        yield f"{of_peers} ip protocol {rule.protocol} accept"


def router_rules(
    found: Mapping[str, Subnet], services: Mapping[str, str], way_out: str, relayed: Mapping[str, str]
) -> str:
    """What subnets' routes let pass, at the one router that they all have.

    :param found: network card of the router -> subnet
    :param services: AWS service -> its address; each is this router's own
    :param way_out: the card towards this machine
    :param relayed: ``address:port`` of the internet -> ``address:port`` of this machine that stands for it
    """
    forwarded, arriving = [], []
    for card, subnet in found.items():
        own = f"ip saddr {subnet.vpc_cidr} ip daddr {subnet.vpc_cidr}"
        forwarded.append(f'iifname "{card}" {own} oifname != "{way_out}" accept')
        reached = [
            address for name, address in services.items() if subnet.to_internet or name in subnet.services
        ]
        if reached:
            arriving.append(f'iifname "{card}" ip daddr {{ {", ".join(reached)} }} tcp dport 443 accept')
        if subnet.to_internet:
            forwarded.append(f'iifname "{card}" oifname "{way_out}" ct status dnat accept')
    there = "\n    ".join(
        f"ip daddr {there.split(':')[0]} tcp dport {there.split(':')[1]} dnat ip to {here}"
        for there, here in relayed.items()
    )
    lines = "\n    "
    return f"""
table inet routes {{
  chain passing {{
    type filter hook forward priority 0; policy drop;
    iifname "{way_out}" ct state established,related accept
    {lines.join(forwarded)}
  }}
  chain arriving {{
    type filter hook input priority 0; policy drop;
    iifname {{ "lo", "{way_out}" }} accept
    ct state established,related accept
    udp dport 67 accept
    ip daddr {DNS} meta l4proto {{ tcp, udp }} th dport 53 accept
    ip daddr {METADATA} tcp dport 80 accept
    {lines.join(arriving)}
  }}
  chain internet {{
    type nat hook prerouting priority -100;
    {there}
  }}
  chain addresses {{
    type nat hook postrouting priority 100;
    oifname "{way_out}" masquerade
  }}
}}
"""


def share(subnet: Subnet, place: int) -> str:
    """The range of a subnet's addresses whose hosts are all in one group, as ``A-B``: sixteen a group."""
    first = ip_network(subnet.cidr).network_address + 16 * (place + 1)
    return f"{first}-{first + 15}"
