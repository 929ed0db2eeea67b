"""Servers that run already and are to be used instead of our own: tried before anything is started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from breakeven.errors import InputError
from breakeven.loadgen.self_check.host_use import RUN_PROCESS
from breakeven.planning.refusal import origin
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite
from local.servers.broker_memory import available_memory, check_memory
from local.servers.broker_releases import debians_of
from local.servers.broker_urls import (
    OPTION,
    check_count,
    check_reachable,
    check_releases,
    parse_rabbitmq_urls,
)
from local.servers.sqs_server import ENDPOINT_OPTION, check_sqs_endpoint

#: names the set-up's script
SETUP = "BREAKEVEN_SETUP"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Servers that run already and are to be used: none, or RabbitMQ nodes, or an SQS endpoint."""

    rabbitmq_urls: tuple[str, ...] = ()
    sqs: str | None = None

    def check(self, suite: Suite, cases: Sequence[Case]) -> None:
        """:raises InputError: an address that is wrong, does not answer, or does not let us in; a case that
        would stop nodes that are not ours, or have a proxy before a server that is not; nodes of our own that
        this machine's memory does not hold
        """
        access = parse_rabbitmq_urls(self.rabbitmq_urls) if self.rabbitmq_urls else None
        self._check_used(suite, cases)
        self._check_nodes_stay_up(suite, cases)
        self._check_no_proxy(suite, cases)
        if access is None:
            check_memory(suite, cases, available_memory())
        else:
            check_count(self.rabbitmq_urls, cases)
            check_releases(check_reachable(access), cases)
        if self.sqs:
            check_sqs_endpoint(self.sqs)

    def set_up(self, cases: Sequence[Case]) -> None:
        """Install the servers that these cases need, where the set-up's script started this command.

        :raises SystemExit: they cannot be; the script has said why
        """
        if script := os.environ.get(SETUP):
            debians = set() if self.rabbitmq_urls else debians_of(case.target for case in cases)
            brokers = f"--brokers={','.join(sorted(debians))}" if debians else "--without-rabbitmq"
            without = [] if self.starts_sqs(cases) else ["--without-elasticmq"]
            done = subprocess.run([script, "run", "--quiet", brokers, *without], check=False)
            if done.returncode:
                sys.exit(done.returncode)

    def starts_sqs(self, cases: Sequence[Case]) -> bool:
        """Do any of these cases need a server of our own that stands for SQS?"""
        return self.sqs is None and "sqs" in software_of(cases)

    def own_process(self) -> dict[str, str]:
        """For loaders, which process has the run's own below it; none where servers were given."""
        return {} if self.rabbitmq_urls or self.sqs else {RUN_PROCESS: str(os.getpid())}

    def _check_used(self, suite: Suite, cases: Sequence[Case]) -> None:
        of = software_of(cases)
        given = {"rabbitmq": (OPTION, self.rabbitmq_urls), "sqs": (ENDPOINT_OPTION, self.sqs)}
        for software, (option, value) in given.items():
            if value and software not in of:
                remedy = f"no case of {suite.suite} is on such a server; leave it out"
                raise InputError(option, "targets", ", ".join(suite.targets), remedy)

    def _check_nodes_stay_up(self, suite: Suite, cases: Sequence[Case]) -> None:
        if not self.rabbitmq_urls:
            return
        for case in cases:
            down, faults = case.workload.nodes_down, case.workload.node_faults
            if down:
                raise _not_ours(suite, case, "nodes_down", down, "stopped")
            if faults:
                words = ", ".join(fault.words for fault in faults)
                raise _not_ours(
                    suite,
                    case,
                    "faults",
                    words,
                    "killed, stopped, paused or cut off, and raise no alarm of ours",
                )

    def _check_no_proxy(self, suite: Suite, cases: Sequence[Case]) -> None:
        for case in cases if self.sqs else ():
            if faults := case.workload.service_faults:
                words = ", ".join(fault.words for fault in faults)
                why = f"a server given by {ENDPOINT_OPTION} is called as it is, and no proxy before it causes"
                remedy = f"{why} faults; remove them, or run without that option"
                raise InputError(suite.where, origin(suite, case.scenario, "faults"), words, remedy)


def software_of(cases: Sequence[Case]) -> set[str | None]:
    """What the targets of these cases run on, as their records have it: sqs, rabbitmq."""
    return {record_of(case.target).software for case in cases}


def _not_ours(suite: Suite, case: Case, field: str, value: object, what: str) -> InputError:
    remedy = f"nodes given by --rabbitmq-url are never {what}; remove it, or run without that option"
    return InputError(suite.where, origin(suite, case.scenario, field), value, remedy)
