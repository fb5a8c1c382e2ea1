"""Fits to partitions of Dask give what fits to the same rows in memory give."""

import warnings

import dask
import dask.array as da
import numpy as np
import pytest
import zarr
from dask.callbacks import Callback
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from robustnmf import RobustNMF, WeightedNMF, robust_nmf
from robustnmf._engines.dask import data as dask_data
from robustnmf._engines.dask import tasks
from robustnmf._engines.dask.engine import DaskEngine
from robustnmf._engines.dask.running import Local
from robustnmf._engines.dask.tasks import Done, Plan
from robustnmf._engines.sources import StoredRows
from robustnmf._engines.threads import alone, ordered_map, ordered_stream
from robustnmf._estimators import later

N, M = 240, 40
UNEVEN = (100, 0, 1, 79, 60)


def rows(dtype=float, n=N):
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(n, 3)) @ rng.exponential(size=(3, M))
    return np.where(rng.random(clean.shape) < 0.05, clean + 20, clean).astype(dtype)


def parts(X, sizes=UNEVEN):
    return da.from_array(X, chunks=(sizes, X.shape[1]))


def start(n=N):
    rng = np.random.default_rng(1)
    return rng.random((n, 3)), rng.random((3, M))


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="sync"):
        yield


@pytest.mark.parametrize("scheduler", ["sync", "threads", "processes"])
def test_any_scheduler_of_one_machine_gives_the_same_answer(scheduler):
    X = rows()
    model = RobustNMF(3, random_state=0)
    expected = RobustNMF(3, random_state=0).fit(X)
    with dask.config.set(scheduler=scheduler, num_workers=2):
        model.fit(parts(X))
    assert_allclose(model.components_, expected.components_, rtol=1e-8, atol=1e-8)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-10)
    assert not hasattr(model, "noise_")


@given(sizes=st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(lambda s: sum(s) >= 4))
@settings(max_examples=20)
def test_any_chunks_give_the_same_answer_from_the_same_start(sizes):
    n = sum(sizes)
    X = rows(n=n)
    options = {"init": start(n), "max_iter": 12, "tol": 0}
    with dask.config.set(scheduler="sync"), warnings.catch_warnings(action="ignore"):
        expected = RobustNMF(3, **options).fit(X)
        model = RobustNMF(3, **options).fit(parts(X, tuple(sizes)))
        found = dask.compute(*model.decompose(parts(X, tuple(sizes))))
    assert_allclose(model.components_, expected.components_, rtol=1e-8, atol=1e-8)
    assert_array_equal(found[2], expected.detect(X))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_any_numbers(dtype):
    X = rows(dtype)
    expected, model = (RobustNMF(3, random_state=0).fit(data) for data in (X, parts(X)))
    assert model.components_.dtype == expected.components_.dtype
    assert_allclose(model.components_, expected.components_, rtol=1e-3, atol=1e-3)
    W = model.transform(parts(X))
    assert W.dtype == W.compute().dtype == expected.transform(X).dtype


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "mu", "max_iter": 30},
        {"penalty": "squared_l0", "lam": 0.5},
        {"refit": "wnmf"},
        {"init": "nndsvda"},
        {"n_init": 2},
        {"lam": "auto"},
        {"lam": "auto", "n_components": "auto"},
    ],
    ids=str,
)
def test_every_option_does_what_it_does_in_memory(options):
    X = rows()
    X[3, 4] = X[150, 7] = np.nan
    options = {"n_components": 3, "random_state": 0} | options
    with warnings.catch_warnings(action="ignore"):
        expected, model = (RobustNMF(**options).fit(data) for data in (X, parts(X)))
    assert_allclose(model.components_, expected.components_, rtol=1e-6, atol=1e-6)
    assert_array_equal(model.detect(parts(X)), expected.detect(X))


def test_weights_and_the_function():
    X, weights = rows(), np.random.default_rng(1).random((N, M))
    expected = WeightedNMF(3, random_state=0).fit_transform(X, weights=weights)
    found = WeightedNMF(3, random_state=0).fit_transform(parts(X), weights=weights)
    assert_allclose(found, expected, rtol=1e-6)
    plain = WeightedNMF(3, random_state=0)
    expected = plain.fit(X).transform(X)
    found = plain.fit_transform(parts(X))
    assert isinstance(found, da.Array)
    assert_allclose(found, expected, rtol=1e-6)
    assert_allclose(plain.transform(parts(X)), expected, rtol=1e-6)
    found, expected = (robust_nmf(data, 3, random_state=0)[1] for data in (parts(X), X))
    assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("kind", [sparse.csr_array, StoredRows], ids=lambda kind: kind.__name__)
def test_weights_of_any_kind_go_where_the_rows_are(kind):
    weights = np.where(np.random.default_rng(1).random((N, M)) < 0.5, 0.5, 0)
    data = DaskEngine(DaskEngine.adopt(parts(rows())), kind(weights), dtype=np.float64)
    assert_array_equal(np.concatenate(data.map(lambda rows, X, q: q)), weights)
    some = np.array([3, 99, 100, 101, 239])
    found = data.sample(some).map(lambda rows, X, q: (X, q))
    assert_array_equal(np.concatenate([q for _, q in found]), weights[some])
    assert_array_equal(np.concatenate([X for X, _ in found]), rows()[some])


class Counted:
    """A loader of partitions that counts how often each is asked for."""

    def __init__(self, X):
        self.X, self.loads = X, 0

    def array(self):
        def load(block, block_info=None):
            self.loads += 1
            return block

        return parts(self.X).map_blocks(load, dtype=self.X.dtype, meta=np.empty((0, 0)))


def test_data_are_computed_once_and_kept_where_there_is_room(monkeypatch):
    X = rows()
    expected = RobustNMF(3, random_state=0).fit(X).components_
    counted = Counted(X)
    model = RobustNMF(3, random_state=0).fit(counted.array())
    assert counted.loads == len(UNEVEN)
    assert_allclose(model.components_, expected, rtol=1e-8)
    # Larger than memory: each pass computes them anew.
    monkeypatch.setattr(dask_data, "MOST_KEPT", 0)
    model.fit(counted.array())
    assert counted.loads > 5 * len(UNEVEN)
    assert_allclose(model.components_, expected, rtol=1e-8)


@pytest.mark.parametrize("lam", [0.04, "auto"])
def test_answers_are_computed_when_somebody_asks_for_them(lam):
    X = rows()
    X[4, 5] = np.nan
    model = RobustNMF(3, lam=lam, random_state=0).fit(X)
    expected = model.decompose(X)
    counted = Counted(X)
    D = counted.array()
    answers = {
        "transform": expected.W,
        "estimate_noise": expected.noise.toarray(),
        "detect": expected.mask,
        "denoise": expected.restored,
    }
    if lam == "auto":
        answers["noise_probability"] = model.noise_probability(X)
    found = {name: getattr(model, name)(D) for name in answers}
    whole = model.denoise(D, keep_clean=False)
    assert counted.loads == 0
    for name, answer in answers.items():
        assert isinstance(found[name], da.Array)
        assert found[name].shape == answer.shape
        assert found[name].chunks[0] == UNEVEN
        assert found[name].dtype == answer.dtype
        assert_allclose(found[name].compute(), answer, rtol=1e-8, atol=1e-12)
    assert_allclose(whole.compute(), model.denoise(X, keep_clean=False))
    # Some rows cost no more than their partition.
    before = counted.loads
    assert_array_equal(model.detect(D)[:50].compute(), expected.mask[:50])
    assert counted.loads == before + 1


def test_all_answers_come_from_one_solve(monkeypatch):
    X, solved = rows(), []
    explained = later._explained
    monkeypatch.setattr(
        later, "_explained", lambda *args: (solved.append(len(args[-1])), explained(*args))[1]
    )
    model = RobustNMF(3, random_state=0).fit(X)
    found = model.decompose(parts(X))
    W, noise, mask, restored = dask.compute(*found)
    assert sorted(solved) == sorted(size for size in UNEVEN if size)
    expected = model.decompose(X)
    assert_allclose(W, expected.W)
    assert_allclose(noise, expected.noise.toarray())
    assert_array_equal(mask, expected.mask)
    assert_allclose(restored, expected.restored)


def test_a_fit_that_returns_weights_returns_them_later():
    X = rows()
    W = RobustNMF(3, random_state=0).fit_transform(parts(X))
    assert isinstance(W, da.Array)
    assert_allclose(W, RobustNMF(3, random_state=0).fit_transform(X), rtol=1e-6, atol=1e-8)


def test_answers_go_where_the_caller_wants_them(tmp_path):
    X = rows()
    model = RobustNMF(3, random_state=0).fit(X)
    clean = zarr.create_array(tmp_path / "clean.zarr", shape=X.shape, dtype=float)
    assert model.denoise(parts(X), out=clean) is clean
    assert_allclose(clean[:], model.denoise(X))
    mask = np.empty(X.shape, bool)
    model.decompose(parts(X), out={"mask": mask})
    assert_array_equal(mask, model.detect(X))


def test_sparse_chunks():
    X = np.where(rows() > 5, rows(), 0)
    X[:, 0] = 1
    D = parts(X).map_blocks(sparse.csr_array, dtype=float, meta=sparse.csr_array((0, 0)))
    expected, model = (RobustNMF(3, random_state=0).fit(data) for data in (X, D))
    assert_allclose(model.components_, expected.components_, rtol=1e-8, atol=1e-8)
    assert_allclose(model.denoise(D).compute(), expected.denoise(X), atol=1e-6)


def test_chunks_of_features_are_put_together_with_a_warning():
    X = rows()
    D = da.from_array(X, chunks=(100, 15))
    with pytest.warns(UserWarning, match="X has chunks of 15 features"):
        model = RobustNMF(3, random_state=0).fit(D)
    expected = RobustNMF(3, random_state=0).fit(X)
    assert_allclose(model.components_, expected.components_, rtol=1e-8)
    with pytest.warns(UserWarning, match=r"X.rechunk\({1: -1}\)"):
        assert_array_equal(model.detect(D), model.detect(X))


def test_chunks_of_unknown_size():
    X = rows()
    D = parts(X)
    D = D[D[:, 0] > 0]
    assert np.isnan(D.shape[0])
    model = RobustNMF(3, random_state=0).fit(D)
    assert_allclose(model.components_, RobustNMF(3, random_state=0).fit(X).components_, rtol=1e-8)
    assert_array_equal(model.detect(D), model.detect(X))
    # The caller's array is as it was.
    assert np.isnan(D.shape[0])


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (da.ones(5), ValueError, r"must have two dimensions.*got \(5,\)"),
        (da.ones((0, 3)), ValueError, r"at least one row and one column; got \(0, 3\)"),
        (da.ones((4, 3), dtype=complex), TypeError, "must hold real numbers; got dtype complex128"),
        (da.ma.masked_less(da.ones((4, 3)), 0), ValueError, "whose mask would be ignored"),
        (da.ones((4, 3))[da.ones(4) < 0], ValueError, "at least one row"),
        (
            da.ones((4, 3), chunks=2).rechunk((2, 3)).map_blocks(lambda X: X[:1], dtype=float),
            ValueError,
            r"the partition that begins with row \d has 1 rows, and its chunks say 2",
        ),
    ],
    ids=["1-d", "empty", "complex", "masked", "no rows left", "lying chunks"],
)
def test_what_has_no_answer_is_refused(bad, error, message):
    with pytest.raises(error, match=message):
        RobustNMF(2).fit(bad)


def test_values_are_checked_in_the_same_passes():
    X = rows()
    X[181, 2] = -1
    with pytest.raises(ValueError, match=r"Negative values.*X\[181, 2\]"):
        RobustNMF(3).fit(parts(X))
    model = RobustNMF(3, random_state=0).fit(parts(rows()))
    found = model.detect(parts(X))
    with pytest.raises(ValueError, match=r"Negative values.*RobustNMF: X\[181, 2\]"):
        found.compute()
    with pytest.raises(ValueError, match="X has 39 features, but RobustNMF is expecting 40"):
        model.transform(parts(X[:, 1:]))
    X[181] = np.nan
    with pytest.raises(ValueError, match="row 181"):
        model.transform(parts(X)).compute()


class Tasks(Callback):
    """Counts the tasks of each graph that is run, by what their names begin with."""

    def __init__(self):
        super().__init__()
        self.graphs = []

    def _start(self, dsk):
        names = [key[0] if isinstance(key, tuple) else key for key in dsk]
        self.graphs.append([dask.utils.key_split(name) for name in names])

    def passes(self):
        return [names for names in self.graphs if "robustnmf-pass" in names]


def test_a_pass_is_one_task_for_each_partition_and_a_tree_however_long_the_fit():
    X, sizes = rows(), (15,) * 16
    with Tasks() as tasks, warnings.catch_warnings(action="ignore"):
        RobustNMF(3, init=start(), max_iter=40, tol=0).fit(parts(X, sizes))
    passes = tasks.passes()
    assert len(passes) >= 40
    for names in passes:
        assert names.count("robustnmf-pass") == len(sizes)
        assert names.count("robustnmf-plan") == 1
        # Eight at a time, then these.
        assert names.count("robustnmf-sum") == 3
    # What is kept from the passes before comes along, and nothing of how it was made.
    assert max(map(len, passes[1:])) == len(passes[10]) <= 16 * 5 + 4


def test_nothing_large_goes_along_with_a_task(monkeypatch):
    sent = []
    unpack = tasks.unpack
    monkeypatch.setattr(tasks, "unpack", lambda plan: (sent.append(len(plan)), unpack(plan))[1])
    largest = []
    for n in (240, 2400):
        X = rows(n=n)
        X[3, 4] = np.nan
        with warnings.catch_warnings(action="ignore"):
            D = da.from_array(X, chunks=(n // 4, M))
            RobustNMF(3, random_state=0, max_iter=5).fit(D)
        largest.append(max(sent))
        sent.clear()
    # A sample of the rows, at most, and k×m numbers; X has 768,000 bytes.
    assert largest[1] < 60_000


def test_merging_leaves_the_shares_as_they_are():
    def merge(total, more):
        total += more
        return total

    shares = [Done(np.full(2, i)) for i in range(3)]
    found = tasks.add_up(Plan(max, merge=merge), shares)
    assert_array_equal(found.sums, [3, 3])
    assert_array_equal(shares[0].sums, [0, 0])


def test_rows_that_are_derived_are_made_once_and_from_what_they_were_made_of():
    engine = DaskEngine(DaskEngine.adopt(parts(rows())), dtype=np.float64)
    A = engine.keep(np.arange(float(N)))
    twice = engine.combine(lambda A: np.multiply(A, 2, out=A), A)
    later = engine.combine(np.add, twice, A)
    # A is written to before the others are read.
    engine.fold(lambda rows, X, q, A: (0, A * 0), max, read=(A,), write=(A,))
    for _ in range(2):
        total = engine.fold(lambda rows, X, q, A: A.sum(), np.add, read=(later,))
        assert total == 3 * np.arange(N).sum()
    assert not later.is_derived
    assert_array_equal(engine.collect(twice), 2 * np.arange(N))
    assert_array_equal(engine.collect(A), 0)
    assert_array_equal(engine.take(later, np.array([0, 100, 101, 239])), [0, 300, 303, 717])
    assert engine.sum_rows(np.sum, np.add, twice) == 2 * np.arange(N).sum()
    rows_of = engine.sample(np.array([0, 100, 239])).map(lambda rows, X, q: X)
    assert_array_equal(np.concatenate(rows_of), rows()[[0, 100, 239]])


def test_a_task_takes_one_thread(monkeypatch):
    import threading

    with alone:
        with alone:
            pass
        assert set(ordered_map(lambda _: threading.get_ident(), range(20))) == {
            threading.get_ident()
        }
        assert set(ordered_stream(lambda _: threading.get_ident(), range(20))) == {
            threading.get_ident()
        }


def test_a_scheduler_of_the_caller_is_asked():
    asked = []

    def get(graph, keys, **options):
        asked.append(len(graph))
        return dask.get(graph, keys)

    with dask.config.set(scheduler=get):
        RobustNMF(3, random_state=0).fit(parts(rows()))
    assert len(asked) > 10
    assert Local(dask.get).values([1]) == [1]


def test_a_cluster_knows_what_tasks_leave_weighs():
    W, sums = np.ones((1000, 3)), np.ones((3, 40))
    size = dask.sizeof.sizeof(Done((sums, 1.0), (W, W)))
    assert 2 * W.nbytes + sums.nbytes <= size < 2 * W.nbytes + sums.nbytes + 200


def test_no_rows_travel_with_the_sums():
    merged = []

    class Elsewhere(Local):
        remote = True

        def run(self, graph, keys):
            left = {graph[key][0] for key in graph if isinstance(graph[key], tuple)}
            if tasks.run_pass in left:
                merged.extend(
                    graph[share][0]
                    for task in graph.values()
                    if isinstance(task, tuple) and task[0] is tasks.add_up
                    for share in task[2]
                )
            return super().run(graph, keys)

    data = DaskEngine.adopt(parts(rows()))
    data.runner = Elsewhere(dask.get)
    engine = DaskEngine(data)
    W = engine.keep(np.arange(N, dtype=float))
    new = engine.room_for(W)
    total = engine.fold(
        lambda span, X, weights, W: (float(X.sum()), 2 * W),
        lambda a, b: a + b,
        read=(W,),
        write=(new,),
    )
    assert total == pytest.approx(rows().sum())
    assert_array_equal(engine.collect(new), 2.0 * np.arange(N))
    assert merged
    assert tasks.run_pass not in merged


def test_a_fit_that_was_broken_off_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    X, passes, fold = rows(), [], DaskEngine.fold
    options = {"init": start(), "max_iter": 30, "tol": 0, "random_state": 0}

    def broken_off(self, *args, **options):
        passes.append(None)
        if len(passes) == 20:
            raise OSError("the cluster is gone")
        return fold(self, *args, **options)

    def fit():
        with warnings.catch_warnings(action="ignore"):
            folder = tmp_path / "state"
            return RobustNMF(3, **options).fit(parts(X), checkpoint=folder, checkpoint_every=1e-9)

    expected = fit()
    monkeypatch.setattr(DaskEngine, "fold", broken_off)
    with pytest.raises(OSError, match="the cluster is gone"):
        fit()
    before = len(passes)
    model = fit()
    # What was done is not done again.
    assert len(passes) - before < 25
    assert_allclose(model.components_, expected.components_, rtol=1e-12)
