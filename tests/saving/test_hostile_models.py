"""Model files that are damaged, or made to do harm: the reader says what is wrong, and no more."""

import copy
import random
import time
import tracemalloc
import warnings

import numpy as np
import pytest

from conftest import low_rank, spoil
from robustnmf import MiniBatchRobustNMF, RobustNMF, TrustWarning, WeightedNMF
from saved_files import array_of, mutated, pack, put_together, taken_apart

X = spoil(low_rank(40, 15, 2))[0]
MODELS = {
    "number": RobustNMF(2, refit="wnmf", random_state=0),
    "auto": RobustNMF(2, lam="auto", random_state=0),
    "gaps": RobustNMF(2, random_state=0, init="nndsvda"),
    "weighted": WeightedNMF(2, random_state=0),
    "minibatch": MiniBatchRobustNMF(2, batch_size=10, random_state=0),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The bytes of a file of each model."""
    files = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrustWarning)
        for name, model in MODELS.items():
            gaps = np.random.default_rng(0).random(X.shape) < (0.1 if name == "gaps" else 0)
            model.fit(np.where(gaps, np.nan, X))
            more = {} if name == "weighted" else {"include_noise": True}
            path = tmp_path_factory.mktemp("models") / name
            model.save(path, **more)
            files[name] = path.read_bytes()
    return files


@pytest.fixture
def load(tmp_path):
    """Loads a model from bytes."""
    path = tmp_path / "m.robustnmf"

    def load(raw, cls=RobustNMF):
        path.write_bytes(raw)
        return cls.load(path)

    return load


def test_the_files_of_these_tests_are_good_before_they_are_spoiled(saved, load):
    for name, raw in saved.items():
        model = load(put_together(*taken_apart(raw)), type(MODELS[name]))
        np.testing.assert_array_equal(model.transform(X), MODELS[name].transform(X))


def test_a_file_that_is_cut_short_anywhere_is_refused(saved, load):
    raw = saved["auto"]
    for length in [*range(0, 40), *range(40, len(raw), 97), len(raw) - 1]:
        with pytest.raises(ValueError, match=r"cannot load .*m\.robustnmf: .*save the model anew"):
            load(raw[:length])


def test_a_flipped_byte_anywhere_is_noticed(saved, load):
    raw = saved["number"]
    for place in range(0, len(raw), 11):
        spoiled = bytearray(raw)
        spoiled[place] ^= 1 << (place % 8)
        with pytest.raises(ValueError, match=r"cannot load .*m\.robustnmf"):
            load(bytes(spoiled))


def test_other_versions_are_refused_with_what_to_do(saved, load):
    header, content, data = taken_apart(saved["number"])
    words = header["__metadata__"]
    words["version"], words["library"] = "2", "99.1"
    # A later version may say anything else, in any way.
    words["more"] = "new"
    with pytest.raises(ValueError, match=r"version 2 .*robustnmf '99.1'.*reads version 1"):
        load(put_together(header, content, data))
    for version in ("", "one", "-1", "1.0", "٣", "9" * 500):
        words["version"] = version
        with pytest.raises(ValueError, match="its version is no number"):
            load(put_together(header, content, data))


def test_words_of_the_header_have_to_be_those_of_the_format(saved, load):
    header, content, data = taken_apart(saved["number"])
    for key, value, message in [
        ("class", "Pipeline", "it holds a 'Pipeline', which is no estimator"),
        ("class", "os.system", "which is no estimator"),
        ("class", "WeightedNMF", "use WeightedNMF.load"),
        ("format", "other", "robustnmf did not save it"),
        ("more", "words", "must have exactly"),
    ]:
        changed = copy.deepcopy(header)
        changed["__metadata__"][key] = value
        with pytest.raises(ValueError, match=message):
            load(put_together(changed, content, data))
    for key in ("class", "library", "version", "format"):
        changed = copy.deepcopy(header)
        changed["__metadata__"].pop(key)
        with pytest.raises(ValueError, match="cannot load"):
            load(put_together(changed, content, data))
    with pytest.raises(ValueError, match="must have exactly"):
        load(pack(header, bytes(data)))


CONTENTS = {
    "not JSON": ("{", "what it says of its arrays cannot be read"),
    "a list": ("[]", "must be a JSON object"),
    "deep": ("[" * 100_000, "cannot be read"),
    "key twice": ('{"learned": 1, "learned": 1}', "a key is there twice"),
    "NaN": ('{"learned": NaN}', "NaN is no number"),
    "nothing": ("{}", "(learned|fitted|parameters) is missing"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_content_that_is_none_is_refused(name, saved, load):
    header, _, data = taken_apart(saved["number"])
    content, message = CONTENTS[name]
    with pytest.raises(ValueError, match=message):
        load(put_together(header, content, data))


PLACES = {
    "another class": ("learned.class", "detector", "class that is known"),
    "a class that is no word": ("learned.class", ["components"], "names its class"),
    "a module": ("learned.noise.class", "os:system", "class that is known"),
    "unknown key": ("learned.more", 1, "learned.more is not known"),
    "array of another name": ("learned.components", "learned.typical", "array of this name"),
    "array that is none": ("learned.components", None, "array of this name"),
    "array left over": ("learned.typical", None, "'learned.typical' belongs to nothing"),
    "price below 0": ("learned.noise.lam", -1.0, "finite number of at least 0; got -1.0"),
    "price that is words": ("learned.noise.lam", "1", "must be a finite number"),
    "price that is true": ("learned.noise.lam", True, "must be a finite number"),
    "infinite price": ("learned.noise.lam", "inf", "must be a finite number"),
    "huge price": ("learned.noise.lam", 10**400, "must be a finite number"),
    "stages that are none": ("learned.stages", {}, "must be a list"),
    "solver": ("parameters.solver", "rm -rf", "parameters: solver must be one of"),
    "parts": ("parameters.n_components", 0, "parameters: n_components must be at least 1"),
    "parameter of another type": ("parameters.max_iter", [1], "parameters.max_iter must be"),
    "huge tolerance": ("parameters.tol", 10**400, "parameters.tol must be a finite number"),
    "lam that is words": ("parameters.lam", "a lot", "parameters: lam must be a number"),
    "iterations": ("fitted.n_iter_", 1.5, "must be a whole number"),
    "converged": ("fitted.converged_", 1, "must be true or false"),
    "history": ("fitted.history_", {"iteration": "x"}, "must have iteration"),
    "noise": ("fitted.noise_.features", 99, "has 99 features, where others have 15"),
    "names": ("fitted.feature_names_in_", ["a"], "must be names"),
}


@pytest.mark.parametrize("name", PLACES)
def test_things_in_their_wrong_place_are_refused(name, saved, load):
    header, content, data = taken_apart(saved["number"])
    place, value, message = PLACES[name]
    *way, last = place.split(".")
    inside = content
    for key in way:
        inside = inside[key]
    inside[last] = value
    with pytest.raises(ValueError, match=message):
        load(put_together(header, content, data))


VALUES = {
    "components not a number": ("number", "learned.components", np.nan, "nonnegative; got nan"),
    "components infinite": ("number", "learned.components", np.inf, "nonnegative; got inf"),
    "components negative": ("number", "learned.components", -1.0, "nonnegative; got -1.0"),
    "screening": ("number", "learned.screening_components", -1.0, "nonnegative; got -1.0"),
    "levels": ("auto", "learned.detector.scales.levels", np.nan, "nonnegative; got nan"),
    "bounds": ("auto", "learned.detector.scales.bounds", 1e300, "in rising order"),
    "edges": ("auto", "learned.detector.classes.edges", 1e300, "in rising order"),
    "prior": ("auto", "learned.detector.prior", np.nan, "must not be NaN"),
    "positions": ("number", "fitted.noise_.indices", 15, "is no sparse array"),
    "rows": ("number", "fitted.noise_.indptr", 2**30, "in rising order"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_that_would_spoil_answers_are_refused(name, saved, load):
    model, place, value, message = VALUES[name]
    header, content, data = taken_apart(saved[model])
    array_of(header, data, place).reshape(-1)[0] = value
    with pytest.raises(ValueError, match=message):
        load(put_together(header, content, data))


# What compiled kernels would read beyond the end of, if it was shorter than another array says.
@pytest.mark.parametrize(
    "place",
    [
        "scales.features",
        "scales.levels",
        "scales.bounds",
        "classes.points",
        "classes.edges",
        "prior",
        "written",
        "bad_features",
        "repair.errors",
        "repair.low",
    ],
)
def test_arrays_that_are_too_short_are_refused(place, saved, load):
    header, content, data = taken_apart(saved["auto"])
    place = f"learned.detector.{place}"
    told = header[place]
    width = (told["data_offsets"][1] - told["data_offsets"][0]) // told["shape"][0]
    # The last of them goes, and all that comes behind moves up.
    end = told["data_offsets"][1]
    del data[end - width : end]
    told["shape"][0] -= 1
    told["data_offsets"][1] -= width
    for name, other in header.items():
        if name != "__metadata__" and other is not told and other["data_offsets"][0] >= end:
            other["data_offsets"] = [offset - width for offset in other["data_offsets"]]
    with pytest.raises(
        ValueError, match=r"where others have|cannot lie between|are not \d+ classes"
    ):
        load(put_together(header, content, data))


def test_components_and_features_have_to_be_there(saved, load):
    header, content, data = taken_apart(saved["number"])
    header["learned.components"]["shape"] = [15, 2]
    with pytest.raises(ValueError, match="has 2 components, where others have 15"):
        load(put_together(header, content, data))
    header["learned.components"]["shape"] = [30]
    with pytest.raises(ValueError, match=r"must have 2 dimensions; got \(30,\)"):
        load(put_together(header, content, data))


@pytest.mark.parametrize("name", MODELS)
def test_whatever_is_changed_only_clear_errors_come_out(name, saved, load):
    """Some hundred files for each model, the same ones each time."""
    rng, began = random.Random(name), time.perf_counter()
    said, loaded = [], 0
    tracemalloc.start()
    try:
        for _ in range(500):
            try:
                model = load(mutated(saved[name], rng), type(MODELS[name]))
            except ValueError as error:
                said.append(str(error))
            else:
                loaded += 1
                answer_somehow(model)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert all(message.startswith("cannot load ") for message in said)
    assert max(map(len, said)) < 1000
    assert len(said) > 300
    assert loaded > 0
    assert time.perf_counter() - began < 60


def answer_somehow(model):
    """Ask a model that was tampered with, but could be loaded: it may err, but not fall."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            assert model.transform(X[:3]).shape == (3, len(model.components_))
            if isinstance(model, RobustNMF):
                assert model.denoise(X[:3]).shape == (3, 15)
        except (ValueError, FloatingPointError, np.linalg.LinAlgError):
            pass
