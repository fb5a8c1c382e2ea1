"""Fits that are broken off go on from their checkpoint, and end as if nothing had been."""

import errno
import random

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from conftest import low_rank, spoil
from robustnmf import RobustNMF, WeightedNMF
from robustnmf._core import block
from robustnmf._engines.stream import StreamEngine
from robustnmf._fitting import checkpoint as checkpoints
from robustnmf._fitting import stored_state
from robustnmf._saving import container
from saved_files import mutated, put_together, taken_apart

resource = pytest.importorskip("resource", reason="limits on files are of POSIX")

X = spoil(low_rank(400, 60, 3))[0]
GAPS = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
WEIGHTS = np.random.default_rng(2).random(X.shape)
# Large enough to begin in single precision, which is a run of its own.
LARGE = spoil(low_rank(1100, 100, 3))[0]

SETTINGS = {"n_components": 3, "random_state": 0, "max_iter": 40, "tol": 1e-7}


def robust(**options):
    return RobustNMF(**SETTINGS | options)


CASES = {
    "large": (robust(), LARGE, {}),
    "float32": (robust(), X.astype(np.float32), {}),
    "unit": (robust(), X * 1e90, {}),
    "refit": (robust(refit="wnmf"), X, {}),
    "starts": (robust(n_init=3, max_iter=15), X, {}),
    "gaps": (robust(), GAPS, {}),
    "rule": (robust(solver="mu"), X, {}),
    "rule and refit": (robust(solver="mu", refit="wnmf", max_iter=20), GAPS, {}),
    "hard": (robust(penalty="squared_l0", lam=0.5, max_iter=70), X, {}),
    "given": (robust(init=(np.ones((400, 3)), low_rank(3, 60, 3))), X, {}),
    "auto": (robust(lam="auto"), X, {}),
    "blocks": (robust(), [LARGE[:300], LARGE[300:]], {}),
    "weights": (WeightedNMF(**SETTINGS), X, {"weights": WEIGHTS}),
    "weights and rule": (WeightedNMF(**SETTINGS, solver="mu"), GAPS, {"weights": WEIGHTS}),
}


class Broken(BaseException):
    """What a test breaks a fit off with."""


@pytest.fixture
def break_off(monkeypatch):
    """Fits until so many steps are done, and counts them."""

    def fit(model, X, folder, after=None, *, every=0.0, **more):
        steps = 0
        stepped = checkpoints._Run.stepped

        def count(self, solver, trace):
            nonlocal steps
            stepped(self, solver, trace)
            steps += 1
            if steps == after:
                raise Broken

        with monkeypatch.context() as patch:
            patch.setattr(checkpoints._Run, "stepped", count)
            if after is None:
                model.fit(X, checkpoint=folder, checkpoint_every=every, **more)
            else:
                with pytest.raises(Broken):
                    model.fit(X, checkpoint=folder, checkpoint_every=every, **more)
        return steps

    return fit


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("every", [0.0, 1000.0])
@pytest.mark.parametrize("case", CASES)
def test_a_fit_that_was_broken_off_ends_as_if_nothing_had_been(case, every, break_off, tmp_path):
    model, X, more = CASES[case]
    undisturbed = model.fit(X, **more)
    components, history = undisturbed.components_, undisturbed.history_
    objective, n_iter = undisturbed.objective_, undisturbed.n_iter_
    folder = tmp_path / "checkpoint"
    for after in (1, 6, 10):
        break_off(model, X, folder, after, every=every, **more)
    steps = break_off(model, X, folder, every=every, **more)
    # Nothing is done twice, but for what `auto` does with its guesses.
    assert steps <= n_iter + 50 - 17
    assert_array_equal(model.components_, components)
    assert model.history_["objective"] == history["objective"]
    assert (np.diff(model.history_["seconds"]) >= 0).all()
    assert (model.objective_, model.n_iter_) == (objective, n_iter)
    assert not folder.exists()


def test_runs_that_have_ended_are_not_repeated(break_off, tmp_path):
    model = robust(refit="wnmf")
    model.fit(X)
    first = len(model.history_["iteration"])
    # In the refit; both end with their last iteration.
    break_off(model, X, tmp_path / "c", first + 1)
    assert {path.name for path in (tmp_path / "c").iterdir()} == {
        "fit.robustnmf",
        "refit.robustnmf",
    }
    assert break_off(model, X, tmp_path / "c") == model.n_iter_ - (first + 1)


def test_keyboard_interrupt_in_a_pass_leaves_the_last_whole_iteration(monkeypatch, tmp_path):
    expected = robust().fit(X).components_
    passes, update = 0, block.update_block

    def interrupt(*args, **kwargs):
        nonlocal passes
        passes += 1
        if passes == 30:
            raise KeyboardInterrupt
        return update(*args, **kwargs)

    model, folder = robust(), tmp_path / "c"
    with monkeypatch.context() as patch:
        patch.setattr(block, "update_block", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, checkpoint=folder, checkpoint_every=1000)
    assert vars(model) == vars(robust())
    _, content, _ = taken_apart((folder / "fit.robustnmf").read_bytes())
    assert content["trace"]["n_iter"] > 5
    assert_array_equal(model.fit(X, checkpoint=folder).components_, expected)


def test_rows_are_written_and_read_some_at_a_time(monkeypatch, break_off, tmp_path):
    monkeypatch.setattr("robustnmf._engines.kept.IN_MEMORY", 1000)
    monkeypatch.setattr(stored_state, "ROWS_AT_ONCE", 700)
    written, read = [], []
    take, get = StreamEngine.take, container.StoredArray.__getitem__

    def taken(self, A, rows):
        written.append(len(rows))
        return take(self, A, rows)

    def got(self, rows):
        read.append(rows)
        return get(self, rows)

    monkeypatch.setattr(StreamEngine, "take", taken)
    monkeypatch.setattr(container.StoredArray, "__getitem__", got)
    X = spoil(low_rank(3000, 100, 3))[0]
    model, blocks = robust(max_iter=12), [X[:300], X[300:]]
    expected = model.fit(blocks).components_
    written.clear()
    break_off(model, blocks, tmp_path / "c", 6)
    _, content, _ = taken_apart((tmp_path / "c" / "fit-single.robustnmf").read_bytes())
    assert content["rows"].keys() == {"trial", "plain", "accepted", "threshold"}
    assert {700, 200} <= set(written)
    assert max(written) == 700
    model.fit(blocks, checkpoint=tmp_path / "c")
    assert slice(0, 1500) in read
    assert slice(1500, 3000) in read
    assert_array_equal(model.components_, expected)


@pytest.mark.parametrize(("share", "times"), [(1e-9, 2), (1e9, 41)])
def test_writing_takes_no_more_than_its_share_of_the_time(
    monkeypatch, break_off, tmp_path, share, times
):
    written = []
    write = checkpoints.write_content
    monkeypatch.setattr(checkpoints, "write_content", lambda *a: (written.append(1), write(*a)))
    monkeypatch.setattr(checkpoints, "MOST_TIME", share)
    break_off(robust(), X, tmp_path / "c", every=0.0)
    # At the end, too.
    assert len(written) == times


def test_data_in_partitions_go_on_as_well(break_off, tmp_path):
    arrays = pytest.importorskip("dask.array")
    data = arrays.from_array(LARGE, chunks=(300, 100))
    model = robust(max_iter=15)
    components = model.fit(data).components_
    break_off(model, data, tmp_path / "c", 5)
    model.fit(data, checkpoint=tmp_path / "c")
    assert_array_equal(model.components_, components)


# What does not belong there


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """The bytes of a checkpoint of X."""
    folder = tmp_path_factory.mktemp("begun") / "c"
    patch = pytest.MonkeyPatch()
    patch.setattr(
        checkpoints._Run,
        "stepped",
        lambda self, *told: (self._write(told[0].state(), told[1]), 1 / 0),
    )
    with pytest.raises(ZeroDivisionError):
        robust().fit(X, checkpoint=folder)
    patch.undo()
    return (folder / "fit.robustnmf").read_bytes()


@pytest.fixture
def folder(begun, tmp_path):
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "fit.robustnmf").write_bytes(begun)
    return folder


def swapped(X):
    X = X.copy()
    X[[3, 7]] = X[[7, 3]]
    return X


OTHERS = {
    "one value": (robust(), np.where(np.arange(X.size).reshape(X.shape) == 99, 0.5, X), "values"),
    "two rows": (robust(), swapped(X), "values of X"),
    "shape": (robust(), X[:-1], r"shape of X: \[400, 60\] there, \[399, 60\] here"),
    "dtype": (robust(), X.astype(np.float32), "dtype of X: 'float64' there, 'float32' here"),
    "parameter": (robust(tol=1e-3), X, "tol: 1e-07 there, 0.001 here"),
    "seed": (robust(random_state=1), X, "random_state: 0 there, 1 here"),
    "start": (robust(init=(np.ones((400, 3)), np.ones((3, 60)))), X, "init: 'random' there"),
    "estimator": (
        WeightedNMF(**SETTINGS),
        X,
        "other estimator: 'RobustNMF' there, 'WeightedNMF' here",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_data_and_parameters_are_refused(name, folder, begun):
    model, data, message = OTHERS[name]
    with pytest.raises(ValueError, match=message) as caught:
        model.fit(data, checkpoint=folder)
    for part in ("checkpoint", str(folder / "fit.robustnmf"), "remove that folder"):
        assert part in str(caught.value)
    assert (folder / "fit.robustnmf").read_bytes() == begun
    assert vars(model).keys() == model.get_params().keys()


def test_verbose_may_be_another(folder):
    robust(verbose=1).fit(X, checkpoint=folder)


def test_another_version_of_the_library_is_refused(monkeypatch, folder):
    monkeypatch.setattr("robustnmf._estimators.checkpoints.__version__", "99.1")
    with pytest.raises(ValueError, match=r"other version of robustnmf: .*'99.1' here"):
        robust().fit(X, checkpoint=folder)


def test_another_version_of_the_format_is_refused(folder, begun):
    header, content, data = taken_apart(begun)
    header["__metadata__"]["version"] = "2"
    (folder / "fit.robustnmf").write_bytes(put_together(header, content, data))
    with pytest.raises(ValueError, match=r"checkpoint: .* version 2 .* reads version 1"):
        robust().fit(X, checkpoint=folder)


def test_what_is_no_checkpoint_is_refused_and_left(folder, tmp_path):
    robust().fit(X).save(folder / "model.robustnmf")
    with pytest.raises(ValueError, match="holds a 'RobustNMF', which is no checkpoint"):
        robust().fit(X, checkpoint=folder)
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match=r"holds thesis\.txt, which is no part of a checkpoint"):
        robust().fit(X, checkpoint=folder)
    with pytest.raises(ValueError, match="is a file, and a checkpoint is a folder"):
        robust().fit(X, checkpoint=folder / "thesis.txt")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        robust().fit(X, checkpoint=tmp_path / "no" / "c")
    assert len(list(folder.iterdir())) == 3
    # No model is loaded from a checkpoint, either.
    with pytest.raises(ValueError, match="holds a 'checkpoint', which is no estimator"):
        RobustNMF.load(folder / "fit.robustnmf")


@pytest.mark.parametrize(
    ("options", "told", "message"),
    [
        ({"random_state": None}, {}, "whole number as random_state.*got None.*random_state=0"),
        ({"random_state": np.random.RandomState(0)}, {}, "whole number as random_state"),
        ({}, {"checkpoint_every": -1}, "checkpoint_every must be"),
        ({}, {"checkpoint": 3}, "checkpoint must be the name of a folder, or None; got 3"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_any_work(options, told, message, tmp_path):
    with pytest.raises((ValueError, TypeError), match=message):
        robust(**options).fit(None, **{"checkpoint": tmp_path / "c"} | told)
    assert not (tmp_path / "c").exists()


def test_a_solver_that_cannot_tell_its_state_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("robustnmf._solvers.hals.Hals.resumes", False)
    with pytest.raises(ValueError, match="solver='hals' cannot tell its state"):
        robust().fit(X, checkpoint=tmp_path / "c")


def test_a_damaged_file_is_refused_wherever_the_damage_is(folder, begun):
    path = folder / "fit.robustnmf"
    rng = random.Random(0)
    places = rng.sample(range(len(begun)), 40)
    spoiled = [begun[:length] for length in (0, 7, 100, len(begun) // 2, len(begun) - 1)]
    for place in places:
        raw = bytearray(begun)
        raw[place] ^= 1 << rng.randrange(8)
        spoiled.append(bytes(raw))
    for raw in spoiled:
        path.write_bytes(raw)
        with pytest.raises(ValueError, match=r"checkpoint: cannot load .*remove that folder"):
            robust().fit(X, checkpoint=folder)
        assert path.read_bytes() == raw


def test_whatever_is_changed_only_clear_errors_come_out(folder, begun):
    """Half of the files have a checksum that fits, as damage never has."""
    rng, said = random.Random(1), []
    for _ in range(100):
        (folder / "fit.robustnmf").write_bytes(mutated(begun, rng))
        try:
            with np.errstate(all="ignore"):
                robust(max_iter=40).fit(X, checkpoint=folder)
        except ValueError as error:
            said.append(str(error))
        folder.mkdir(exist_ok=True)
    assert len(said) > 60
    assert all(message.startswith("checkpoint: cannot load ") for message in said)


# Disks that are full


def test_a_full_disk_leaves_the_checkpoint_before(monkeypatch, folder, begun):
    def full(file, tensors, metadata):
        file.write(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    expected = robust().fit(X).components_
    with monkeypatch.context() as patch:
        patch.setattr(container, "write", full)
        with pytest.raises(
            OSError, match=r"checkpoint: cannot write .*No space.*before is"
        ) as caught:
            robust().fit(X, checkpoint=folder, checkpoint_every=0)
    assert caught.value.errno == errno.ENOSPC
    assert [path.name for path in folder.iterdir()] == ["fit.robustnmf"]
    assert (folder / "fit.robustnmf").read_bytes() == begun
    assert_array_equal(robust().fit(X, checkpoint=folder).components_, expected)


def test_a_limit_on_the_size_of_files_does_the_same(folder, begun):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(OSError, match="checkpoint: cannot write"):
            robust().fit(X, checkpoint=folder, checkpoint_every=0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in folder.iterdir()] == ["fit.robustnmf"]
    assert (folder / "fit.robustnmf").read_bytes() == begun


def test_what_was_half_written_is_tidied_away(folder, break_off):
    half = folder / ".fit-0123abcd.robustnmf"
    half.write_bytes(b"half")
    break_off(robust(), X, folder, 2)
    assert not half.exists()
