"""A certificate made for a test."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HOST = "127.0.0.1"
HOUR, DAY = datetime.timedelta(hours=1), datetime.timedelta(days=1)


def make_certificate(path: Path) -> None:
    """A certificate that signs itself, good for ``HOST`` and a day, in one file with its key."""
    path.write_text("".join(make_certificate_for(HOST)))


def make_certificate_for(address: str) -> tuple[str, str]:
    """A certificate that signs itself, good for the address and a day, and its key; both PEM."""
    return _make([x509.IPAddress(ipaddress.ip_address(address))])


def make_certificate_of_names(names: Sequence[str]) -> tuple[str, str]:
    """Likewise, good for names of hosts, which may begin with ``*.``."""
    return _make([x509.DNSName(name) for name in names])


def make_certificate_of(
    *names: str,
    issuer: str = "a test",
    begins: datetime.timedelta = -HOUR,
    ends: datetime.timedelta = DAY,
) -> tuple[str, str]:
    """Likewise, good for names and addresses, from then to then, as of now."""
    return _make([_subject(name) for name in names], issuer, begins, ends)


def _subject(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _make(
    subjects: Sequence[x509.GeneralName],
    issuer: str = "a test",
    begins: datetime.timedelta = -HOUR,
    ends: datetime.timedelta = DAY,
) -> tuple[str, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins)
        .not_valid_after(now + ends)
        .add_extension(x509.SubjectAlternativeName(subjects), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .add_extension(_usage(), True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return certificate.public_bytes(pem).decode(), secret.decode()


def _usage() -> x509.KeyUsage:
    """To sign itself, and to serve."""
    others = ["content_commitment", "key_encipherment", "data_encipherment", "key_agreement"]
    others += ["crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(digital_signature=True, key_cert_sign=True, **dict.fromkeys(others, False))
