import json
import math

import numpy as np
import pytest

from robustnmf._common.versions import versions
from robustnmf_studies.common.frames import records
from robustnmf_studies.common.storage import Storage, fingerprint, save_pictures, write_json
from robustnmf_studies.paper.settings import Point

POINT = Point("faces", 0, 10, 50)


@pytest.fixture
def storage(tmp_path):
    made = Storage(tmp_path / "out")
    made.open({"data": "abc", "seed": 0}, "v1")
    return made


def test_finished_points_are_known_after_reopening(storage):
    storage.add(POINT, {"faces": [{"n": 10}]})
    again = Storage(storage.folder)
    again.open({"data": "abc", "seed": 0}, "v1")
    assert again.done() == {POINT.key}


def test_half_a_line_is_forgotten_and_can_be_written_again(storage):
    storage.add(POINT, {"faces": [{"n": 10}]})
    journal = storage.numbers / "journal.jsonl"
    with journal.open("a") as file:
        file.write('{"key": "faces n=20')
    assert storage.done() == {POINT.key}
    other = Point("faces", 1, 10, 50)
    storage.add(other, {"faces": [{"n": 20}]})
    assert storage.done() == {POINT.key, other.key}


@pytest.mark.parametrize("header", [{"data": "xyz", "seed": 0}, {"data": "abc", "seed": 1}])
def test_results_of_another_kind_are_not_mixed_in(storage, header):
    with pytest.raises(ValueError, match="results of another"):
        Storage(storage.folder).open(header, "v1")


def test_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match="not ours"):
        Storage(tmp_path).check()


def test_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "out").touch()
    with pytest.raises(NotADirectoryError, match="name of a folder"):
        Storage(tmp_path / "out").check()


def test_tables_come_back_as_they_were_written(storage):
    rows = [
        {"n": 10, "lam": 0.04, "method": "nmf", "precision": None, "flag": True},
        {"n": 20, "lam": 1e-7, "method": "pcp", "precision": 0.1 + 0.2, "flag": False, "more": 1},
    ]
    storage.add(POINT, {"faces": rows})
    storage.write_tables()
    found = records(storage.read_tables()["faces"])
    assert found[0] == rows[0] | {"more": None}
    assert found[1] == rows[1]


def test_whole_numbers_stay_whole_beside_missing_ones(storage):
    storage.add(POINT, {"faces": [{"n": 10, "k": None}, {"n": 20, "k": 3}]})
    storage.write_tables()
    assert (storage.numbers / "faces.csv").read_text() == "n,k\n10,\n20,3\n"


def test_names_that_look_like_nothing_stay_names(storage):
    names = ["none", "None", "nan", "NA", "null"]
    storage.add(POINT, {"faces": [{"name": name} for name in names]})
    storage.write_tables()
    assert storage.read_tables()["faces"]["name"].tolist() == names


def test_points_of_another_version_are_neither_counted_nor_read(storage):
    storage.add(POINT, {"faces": [{"n": 10}], "old": [{"n": 1}]})
    storage.write_tables()
    newer = Storage(storage.folder)
    newer.open({"data": "abc", "seed": 0}, "v2")
    assert (newer.done(), newer.stale()) == (set(), {POINT.key})
    newer.add(POINT, {"faces": [{"n": 11}]})
    newer.write_tables()
    assert (newer.done(), newer.stale()) == ({POINT.key}, set())
    assert {name: table["n"].tolist() for name, table in newer.read_tables().items()} == {
        "faces": [11]
    }
    # Where the change is taken back, the results of before are good again.
    older = Storage(storage.folder)
    older.open({"data": "abc", "seed": 0}, "v1")
    older.write_tables()
    assert older.read_tables()["faces"]["n"].tolist() == [10]


def test_results_without_a_version_are_of_another_one(storage):
    journal = storage.numbers / "journal.jsonl"
    with journal.open("a") as file:
        file.write(json.dumps({"key": "old", "tables": {"faces": [{"n": 1}]}}) + "\n")
    assert (storage.done(), storage.stale()) == (set(), {"old"})


def test_pictures_of_two_versions_do_not_mix(storage):
    picture = np.zeros((2, 2), dtype=np.uint8)
    save_pictures(storage.pictures / "camera.npz", {"truth": picture})
    newer = Storage(storage.folder)
    newer.open({"data": "abc", "seed": 0}, "v2")
    assert newer.read_pictures() == {}
    write_json(storage.about_file, {"code": "v1"})
    assert list(Storage(storage.folder).read_pictures()) == ["camera"]


def test_missing_numbers_are_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="plots-only"):
        Storage(tmp_path).read_tables()


def test_nan_never_reaches_the_journal(storage):
    with pytest.raises(ValueError, match="JSON"):
        storage.add(POINT, {"faces": [{"msre": math.nan}]})
    assert storage.done() == set()


def test_pictures_come_back(storage):
    picture = np.arange(16, dtype=np.uint8).reshape(4, 4)
    save_pictures(storage.pictures / "camera.npz", {"truth": picture, "nmf/paper": picture})
    found = storage.read_pictures()
    assert list(found) == ["camera"]
    np.testing.assert_array_equal(found["camera"]["nmf/paper"], picture)


def test_fingerprint_tells_data_apart():
    images = np.zeros((2, 3, 4), dtype=np.uint8)
    assert fingerprint(images) == fingerprint(images.copy())
    assert fingerprint(images) != fingerprint(images.reshape(2, 4, 3))
    assert fingerprint(images) != fingerprint(images + 1)


def test_versions_name_what_had_a_part():
    found = versions()
    assert {"robustnmf", "python", "numpy", "scikit-learn"} <= set(found)
    json.dumps(found)
