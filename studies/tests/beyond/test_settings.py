from robustnmf_studies.beyond.settings import FULL, MOST_OCCLUDED, QUICK, SALT, cases_of


def test_every_case_is_run_once_and_the_first_run_first():
    cases = cases_of(FULL, "orl", 400)
    assert len({case.key for case in cases}) == len(cases)
    assert [case.run for case in cases] == sorted(case.run for case in cases)
    assert all(case.cost > 0 for case in cases)


def test_targets_are_run_ten_times():
    cases = cases_of(FULL, "orl", 400)
    for n, pixels in SALT:
        runs = [
            case.run
            for case in cases
            if (case.kind, case.data, case.n, case.amount) == ("detect", "orl", n, pixels)
        ]
        assert runs == list(range(10))


def test_squares_hide_no_pixel_of_all_pictures():
    cases = cases_of(FULL, "orl", 400)
    squares = [case for case in cases if case.corruption == "occlusion"]
    assert {case.data for case in squares} == {"orl", "lfw", "digits"}
    assert max(case.amount for case in squares) == MOST_OCCLUDED


def test_no_more_faces_than_there_are():
    cases = cases_of(FULL, "lfw", 100)
    assert {case.data for case in cases} == {"lfw", "digits", "synthetic"}
    assert max(case.n for case in cases if case.data == "lfw") == 100
    assert len({case.key for case in cases}) == len(cases)


def test_quick_run_is_a_tenth_and_runs_can_be_limited():
    full, quick = (len(cases_of(plan, "orl", 400)) for plan in (FULL, QUICK))
    assert quick < full / 10
    once = FULL.limited(1)
    assert (once.runs, once.few) == (1, 1)
    assert FULL.limited(None) is FULL
