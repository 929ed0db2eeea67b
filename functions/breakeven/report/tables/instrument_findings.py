"""The self-test in words and as a table: what the instrument did, and what the loader read of it."""

from __future__ import annotations

from breakeven import words
from breakeven.report.contract.report_model import Report
from breakeven.report.contract.validity_model import TOLERANCE_MS, TOLERANCE_SHARE, InstrumentCase, Reading
from breakeven.report.elements import Row, Table

NOT_RUN = "No self-test was run: the suite sets instrument: false."
PASSED, FAILED = "The self-test passed.", "THE SELF-TEST FAILED."
NOT_TO_RELY_ON = (
    "Do not rely on the measured figures of this run, and repeat it on an idle machine; list prices do not "
    "depend on them."
)
COUNTED = {
    "lost": ("lost", "counted"),
    "duplicates": ("duplicates", ""),
    "out_of_order": ("out of order", ""),
}
#: the percentile that stands for all in the sentence
SAID = "produce.p99_ms"
TOLERANCES = (
    f"Counts must be equal. Latencies agree within {TOLERANCE_MS:g} ms or {TOLERANCE_SHARE:.0%}, whichever "
    "is greater. What the loader read is compared with what the instrument recorded as done. Where done "
    "differs from programmed, the host was too busy for the instrument; that by itself does not fail the "
    "test."
)
MARKS = {(True, True): "agrees", (True, False): "agrees with done", (False, True): "DOES NOT AGREE"}


def sentences(report: Report) -> list[str]:
    """One a protocol: 'AMQP: programmed 7 lost, counted 7; …'. Empty for what a source published."""
    if report.validity is None:
        return []
    return [_sentence(case) for case in report.validity.instrument] or [NOT_RUN]


def not_run(report: Report) -> str:
    return NOT_RUN if report.validity and "instrument_off" in report.validity.flags else ""


def failed(report: Report) -> str:
    return FAILED if report.is_in_doubt else ""


def doubt(report: Report) -> tuple[str, str] | None:
    """That the self-test failed, and what that puts in doubt and what not; None unless it failed."""
    return (FAILED, NOT_TO_RELY_ON) if report.is_in_doubt else None


def passed(report: Report) -> str:
    """Of a self-test that was run."""
    return "" if report.validity is None or not_run(report) or failed(report) else PASSED


def opening(report: Report) -> str:
    """Whether it passed; empty where no instrument was measured."""
    return passed(report) or failed(report)


def warning(report: Report) -> str:
    """For the verdict: empty unless the self-test failed."""
    doubted = doubt(report)
    return " ".join([*doubted, *sentences(report)]) if doubted else ""


def outcome(report: Report) -> str | None:
    """Of the self-test, in a word or two; None where a source published the figures."""
    if report.validity is None:
        return None
    if report.is_in_doubt:
        return "failed"
    return "not run" if not_run(report) else "passed"


def is_warning(paragraph: str) -> bool:
    """Is it the verdict's warning? The page has it above its headline, and says it once."""
    return paragraph.startswith(FAILED)


def validity_table(report: Report) -> Table:
    """Programmed, done, read: a row each."""
    cases = report.validity.instrument if report.validity else []
    return Table(
        slug="validity",
        caption="The instrument: programmed, done, read",
        label_titles=("Figure",),
        columns=("programmed", "done", "read", "tolerance", ""),
        rows=tuple(_row(case, reading) for case in cases for reading in case.readings),
        notes=(TOLERANCES,),
    )


def _sentence(case: InstrumentCase) -> str:
    name = case.protocol.upper()
    if case.status == "failed" or not case.readings:
        return f"{name}: the instrument's case failed: {case.reason or 'it left no record'}."
    found = {reading.what: reading for reading in case.readings}
    parts = [
        f"{words.count(int(found[what].programmed))} {noun}, {f'{verb} ' if verb else ''}{_read(found[what])}"
        for what, (noun, verb) in COUNTED.items()
    ]
    if p99 := found.get(SAID):
        parts.append(f"{_label(SAID).removesuffix(', ms')} {p99.programmed:.2f} ms, read {_read(p99)}")
    others = [r for r in case.readings if not r.agrees and r.what not in (*COUNTED, SAID)]
    if others:
        parts.append(f"DOES NOT AGREE in {words.listing([_apart(reading) for reading in others])}")
    late = [reading for reading in case.readings if not reading.kept]
    if late:
        shown = words.listing([_overrun(reading) for reading in late])
        parts.append(f"the host was too busy for the instrument to do everything as programmed: {shown}")
    return f"{name}: programmed {'; '.join(parts)}."


def _read(reading: Reading) -> str:
    mark = "" if reading.agrees else f" (DOES NOT AGREE{_against(reading)})"
    return f"{_figure(reading.what, reading.read)}{mark}"


def _against(reading: Reading) -> str:
    """What it is held against, where that is not what was programmed, and how far off it may be."""
    done = "" if reading.done is None else f": {_figure(reading.what, reading.done)} done"
    return f"{done}, tolerance {reading.tolerance:.2f}" if reading.tolerance else done


def _apart(reading: Reading) -> str:
    return f"{_label(reading.what)} ({_figure(reading.what, reading.read)} read{_against(reading)})"


def _overrun(reading: Reading) -> str:
    """What was done and programmed: 'produce p99, ms (14.00 done, 12.00 programmed)'."""
    figures = (
        f"{_figure(reading.what, reading.done)} done, {_figure(reading.what, reading.programmed)} programmed"
    )
    return f"{_label(reading.what)} ({figures})"


def _figure(what: str, value: float | None) -> str:
    if value is None:
        return "nothing"
    return f"{value:.2f}" if what.endswith("_ms") else words.count(int(value))


def _label(what: str) -> str:
    """'produce.p99_ms' as 'produce p99, ms'."""
    metric, _, percentile = what.partition(".")
    if not percentile:
        return what.replace("_", " ")
    return f"{metric} {percentile.removesuffix('_ms').replace('p999', 'p99.9')}, ms"


def _row(case: InstrumentCase, reading: Reading) -> Row:
    mark = MARKS.get((reading.agrees, reading.kept), "DOES NOT AGREE")
    tolerance = f"{reading.tolerance:.2f}" if reading.tolerance else "none"
    return Row(
        labels=(_label(reading.what),),
        cells=(
            _figure(reading.what, reading.programmed),
            words.NOTHING if reading.done is None else _figure(reading.what, reading.done),
            _figure(reading.what, reading.read),
            tolerance,
            mark,
        ),
        origin="measured",
        section=f"{case.protocol.upper()}, {case.client} client, {words.count(case.messages)} messages",
        tone="" if reading.agrees else "bad",
    )
