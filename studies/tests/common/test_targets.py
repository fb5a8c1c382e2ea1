from robustnmf_studies.common.frames import rows_of
from robustnmf_studies.common.targets import (
    MET,
    MISSED,
    UNKNOWN,
    as_records,
    decide,
    tally,
    target_table,
    tell,
)

JUDGED = [
    decide("F1 ≥ 0.9", "0.95", True, where="at 10 %"),
    decide("time ≤ 1 s", "2 s", False),
    decide("harm", "nothing", None),
]


def test_what_was_not_measured_is_neither_met_nor_missed():
    assert tally(JUDGED) == {MET: 1, MISSED: 1, UNKNOWN: 1}
    assert JUDGED[-1].measured == "–"


def test_table_tells_the_conditions_where_asked():
    assert rows_of(target_table(JUDGED))[0] == ("F1 ≥ 0.9", "0.95", MET)
    assert rows_of(target_table(JUDGED, where=True))[0][-1] == "at 10 %"


def test_records_leave_out_what_no_target_has():
    records = as_records(JUDGED)
    assert [set(record) for record in records] == [{"target", "measured", "verdict", "where"}] * 3
    assert "where" not in as_records(JUDGED[1:])[0]


def test_words_of_a_target_are_filled_with_what_was_found():
    words = {
        "name": "gap-{kind}",
        "target": "{kind}: gap ≤ {bound} dB",
        "measured": "{gap:+.1f} dB, {share:.1%}; best is {rival}",
        "where": "{runs} runs",
    }
    values = {"kind": "a", "bound": 3, "gap": -0.5, "share": 0.25, "rival": "non-local", "runs": 2}
    found = tell(words, values | {"good": True})
    assert found.measured == "−0.5 dB, 25.0 %; best is non-local"
    assert (found.target, found.verdict) == ("a: gap ≤ 3 dB", MET)
    assert (found.where, found.name) == ("2 runs", "gap-a")
    # Without figures only what is aimed at can be told.
    unknown = tell(words, {"kind": "a", "bound": 3})
    assert (unknown.target, unknown.verdict, unknown.name) == (found.target, UNKNOWN, "gap-a")
