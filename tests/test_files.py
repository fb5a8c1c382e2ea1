import pytest

from robustnmf._common.files import folder_written_whole, written_whole


def test_file_appears_whole_and_alone(tmp_path):
    with written_whole(tmp_path / "a.png") as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".png"
        assert not (tmp_path / "a.png").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
    assert (tmp_path / "a.png").read_text() == "new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_failure_leaves_the_old_file_and_nothing_else(tmp_path, error):
    (tmp_path / "a.png").write_text("old")

    def write_half():
        with written_whole(tmp_path / "a.png") as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        write_half()
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
    assert (tmp_path / "a.png").read_text() == "old"


def folder(path, text):
    path.mkdir()
    (path / "note").write_text(text)


def test_a_folder_replaces_another(tmp_path):
    folder(tmp_path / "store", "old")
    (tmp_path / "store" / "more").touch()
    with folder_written_whole(tmp_path / "store") as temporary:
        folder(temporary, "new")
        assert (tmp_path / "store" / "note").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["store"]
    assert [file.read_text() for file in (tmp_path / "store").iterdir()] == ["new"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_failure_leaves_the_old_folder_and_nothing_else(tmp_path, error):
    folder(tmp_path / "store", "old")

    def write_half():
        with folder_written_whole(tmp_path / "store") as temporary:
            folder(temporary, "half")
            raise error

    with pytest.raises(error):
        write_half()
    assert [file.name for file in tmp_path.iterdir()] == ["store"]
    assert (tmp_path / "store" / "note").read_text() == "old"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.png").write_text("old")
    (tmp_path / "link.png").symlink_to(tmp_path / "real.png")
    with written_whole(tmp_path / "link.png") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "real.png").read_text() == "new"


def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_text("")
    with written_whole(tmp_path / "a.png") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "a.png").stat().st_mode == (tmp_path / "plain").stat().st_mode
