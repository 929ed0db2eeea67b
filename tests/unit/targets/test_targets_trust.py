"""Whom clients of a lane trust."""

from __future__ import annotations

import ssl

from breakeven.brokers.access import Access, Node, tls_context
from tests.support.scripted.certificates import make_certificate_for


def access(*certificates: str | None) -> Access:
    nodes = [
        Node(name="n", host="127.0.0.1", amqp_port=1, management_port=2, certificate=one)
        for one in certificates
    ]
    return Access(username="u", password="p", tls=True, nodes=tuple(nodes))


def test_only_the_certificates_that_the_nodes_registered_are_trusted():
    made = [make_certificate_for(f"127.0.0.{number}")[0] for number in (1, 2)]
    context = tls_context(access(*made))
    trusted = {ssl.DER_cert_to_PEM_cert(one) for one in context.get_ca_certs(binary_form=True)}
    assert trusted == set(made)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_without_any_the_systems_are():
    system = ssl.create_default_context().get_ca_certs(binary_form=True)
    assert tls_context(access(None)).get_ca_certs(binary_form=True) == system
