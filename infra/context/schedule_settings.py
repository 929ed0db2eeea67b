"""When runs are made by themselves, and when an alarm says that none went well: part of the context."""

from __future__ import annotations

import re
import zoneinfo
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from breakeven.steps.run.run_input import DEFAULT_SUITE
from breakeven.workload.read import shipped_suites

OFF, MONTHLY = "off", "monthly"
#: six in the morning on the first of each month
EXPRESSIONS = {MONTHLY: "cron(0 6 1 * ? *)", "weekly": "cron(0 6 ? * MON *)"}
#: a minute and an hour, so that it is at most once a day
CRON = re.compile(r"cron\(\d{1,2} \d{1,2} \S+ \S+ \S+ \S+\)")
RATE = re.compile(r"rate\((?:1 day|(?!1 )[1-9]\d{0,2} days)\)")


def _is_schedule(value: str) -> str:
    if value != OFF and value not in EXPRESSIONS and not CRON.fullmatch(value) and not RATE.fullmatch(value):
        raise ValueError
    return value


def _is_zone(value: str) -> str:
    if value not in zoneinfo.available_timezones():
        raise ValueError
    return value


def _is_shipped(value: str) -> str:
    if value not in shipped_suites():
        raise ValueError
    return value


class ScheduleSettings(BaseModel):
    """A field's description is the remedy where another value is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schedule: Annotated[str, AfterValidator(_is_schedule)] = Field(
        default=MONTHLY,
        description="monthly, weekly, off, cron(MINUTE HOUR …) with numbers for both, or rate(N days)",
    )
    schedule_suite: Annotated[str, AfterValidator(_is_shipped)] = Field(
        default=DEFAULT_SUITE, description=f"one of {', '.join(shipped_suites())}"
    )
    schedule_scale: float = Field(
        default=1.0, gt=0, le=1, allow_inf_nan=False, description="above 0, at most 1: shrinks message counts"
    )
    schedule_time_zone: Annotated[str, AfterValidator(_is_zone)] = Field(
        default="UTC", description="a time zone by its name, such as Europe/Dublin"
    )
    no_run_alarm_days: int = Field(
        default=35, ge=0, le=400, description="days from 1 to 400 without a good run, 0 for no alarm"
    )

    @property
    def is_scheduled(self) -> bool:
        return self.schedule != OFF

    @property
    def scheduled_input(self) -> dict[str, str | float]:
        """What the scheduled execution is started with."""
        scaled = {"scale": self.schedule_scale} if self.schedule_scale != 1 else {}
        return {"suite": self.schedule_suite, **scaled}

    @property
    def schedule_expression(self) -> str:
        return EXPRESSIONS.get(self.schedule, self.schedule)
