import numpy as np
import pytest
import tifffile
from PIL import Image, PngImagePlugin

from robustnmf._picture_files.names import kind_of
from robustnmf._picture_files.opened import PictureError, read_picture
from robustnmf._picture_files.views import before_after, write_array

GREY = np.arange(12 * 10, dtype=np.uint8).reshape(12, 10)
COLOUR = np.stack([GREY, GREY[::-1], 255 - GREY], axis=-1)
OPAQUE = np.concatenate([COLOUR, GREY[..., None]], axis=-1)


def write_again(path):
    picture = read_picture(path)
    out = path.with_name(f"again{path.suffix}")
    picture.write(out, [page.pixels for page in picture.pages])
    return picture, out


@pytest.mark.parametrize(
    "pixels",
    [GREY, COLOUR, OPAQUE, OPAQUE[..., [0, 3]], GREY.astype(np.uint16) * 257],
    ids=["grey", "colour", "opacity", "grey-opacity", "16-bit"],
)
def test_png(tmp_path, pixels):
    path = tmp_path / "a.png"
    words = PngImagePlugin.PngInfo()
    words.add_text("Author", "me")
    Image.fromarray(pixels).save(path, dpi=(300, 300), pnginfo=words, icc_profile=b"profile")
    picture, out = write_again(path)
    assert picture.pages[0].channel_axis == (-1 if pixels.shape[-1] in (3, 4) else None)
    with Image.open(out) as again, Image.open(path) as before:
        assert (again.mode, again.size) == (before.mode, before.size)
        np.testing.assert_array_equal(np.array(again), pixels)
        assert again.text == {"Author": "me"}
        assert again.info["dpi"] == before.info["dpi"]
        assert again.info["icc_profile"] == b"profile"


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_jpeg(tmp_path, mode):
    path = tmp_path / "a.jpg"
    exif = Image.Exif()
    exif[271] = "maker"
    Image.fromarray(COLOUR).convert(mode).save(
        path, quality=83, dpi=(72, 72), exif=exif, comment=b"hello", subsampling=0
    )
    _, out = write_again(path)
    with Image.open(out) as again, Image.open(path) as before:
        assert (again.mode, again.size) == (before.mode, before.size)
        assert again.quantization == before.quantization
        assert again.getexif()[271] == "maker"
        assert (again.info["dpi"], again.info["comment"]) == ((72, 72), b"hello")
        # JPEG loses a little each time.
        difference = np.abs(np.array(again).astype(int) - np.array(before))
        assert difference.max() <= 12


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "uint32", "float32", "float64"])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_tiff_pages_of_any_depth(tmp_path, dtype, compression):
    path = tmp_path / "a.tif"
    pages = [GREY.astype(dtype), GREY[::-1].astype(dtype)]
    with tifffile.TiffWriter(path) as writer:
        for number, page in enumerate(pages):
            writer.write(
                page,
                contiguous=False,
                metadata=None,
                photometric="minisblack",
                compression=compression,
                resolution=(300, 150),
                resolutionunit="INCH",
                description=f"page {number}",
                software="camera",
                extratags=[(315, "s", 0, "artist", True)],
            )
    _, out = write_again(path)
    with tifffile.TiffFile(out) as again, tifffile.TiffFile(path) as before:
        assert len(again.pages) == 2
        for new, old, page in zip(again.pages, before.pages, pages, strict=True):
            np.testing.assert_array_equal(new.asarray(), page)
            assert new.dtype == page.dtype
            assert (new.description, new.software) == (old.description, "camera")
            assert (new.compression, new.photometric) == (old.compression, old.photometric)
            for tag in ("XResolution", "YResolution", "ResolutionUnit", "Artist"):
                assert new.tags[tag].value == old.tags[tag].value


@pytest.mark.parametrize("pixels", [COLOUR.astype(np.uint16) * 257, OPAQUE])
def test_tiff_in_colour(tmp_path, pixels):
    path = tmp_path / "a.tiff"
    extra = ["unassalpha"] if pixels.shape[-1] == 4 else None
    tifffile.imwrite(path, pixels, photometric="rgb", extrasamples=extra)
    picture, out = write_again(path)
    assert picture.pages[0].pixels.shape == (12, 10, 3)
    np.testing.assert_array_equal(tifffile.imread(out), pixels)


def test_tiff_by_lzw(tmp_path):
    path = tmp_path / "a.tif"
    Image.fromarray(COLOUR).save(path, compression="tiff_lzw")
    _, out = write_again(path)
    np.testing.assert_array_equal(tifffile.imread(out), COLOUR)


@pytest.mark.parametrize(
    ("shape", "axis"), [((4, 5), None), ((4, 5, 3), -1), ((9, 4, 5), None), ((2, 4, 5, 3), -1)]
)
def test_npy(tmp_path, shape, axis):
    path = tmp_path / "a.npy"
    array = np.random.default_rng(0).random(shape)
    array[0, 0] = np.nan
    np.save(path, array)
    picture, out = write_again(path)
    assert picture.pages[0].channel_axis == axis
    np.testing.assert_array_equal(np.load(out), array)


def _png_header(width, height, depth, colour):
    import struct
    import zlib

    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    end = b"\0\0\0\0IEND" + struct.pack(">I", zlib.crc32(b"IEND"))
    return b"\x89PNG\r\n\x1a\n\0\0\0\r" + body + struct.pack(">I", zlib.crc32(body)) + end


BAD = {
    "empty.png": (b"", "empty"),
    "text.png": (b"hello", "no whole PNG"),
    "text.jpg": (b"hello", "no whole JPEG"),
    "text.tif": (b"hello", "no whole TIFF"),
    "text.npy": (b"hello", "no array can be read"),
    "bomb.png": (_png_header(60000, 60000, 8, 0), "cut it into parts"),
    "deep.png": (_png_header(8, 8, 16, 2), "16 bits"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_say_what_to_do(tmp_path, name):
    content, message = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(PictureError, match=message):
        read_picture(path)


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", ".npy"])
def test_files_that_were_cut_off(tmp_path, suffix):
    whole, half = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    noise = np.random.default_rng(0).integers(0, 256, (64, 64)).astype(np.uint8)
    if suffix == ".npy":
        np.save(whole, noise)
    elif suffix == ".tif":
        tifffile.imwrite(whole, noise, compression="zlib")
    else:
        Image.fromarray(noise).save(whole)
    half.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(PictureError, match=r"export it again|numpy\.save"):
        read_picture(half)


def test_palettes_and_bits_are_refused(tmp_path):
    for number, mode in enumerate(("P", "1")):
        path = tmp_path / f"{number}.png"
        Image.fromarray(GREY).convert(mode).save(path)
        with pytest.raises(PictureError, match="convert it to RGB"):
            read_picture(path)
    path = tmp_path / "a.tif"
    Image.fromarray(GREY).convert("P").save(path)
    with pytest.raises(PictureError, match="convert it to RGB"):
        read_picture(path)


def test_pictures_inside_a_page_are_refused(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as writer:
        writer.write(GREY, subifds=1)
        writer.write(GREY[::2, ::2], subfiletype=1)
    with pytest.raises(PictureError, match="other pictures inside a page"):
        read_picture(tmp_path / "a.tif")


def test_pickles_and_archives_are_refused(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(PictureError, match=r"numpy\.save"):
        read_picture(path)
    with path.open("wb") as file:
        np.savez(file, a=GREY)
    with pytest.raises(PictureError, match="archive"):
        read_picture(path)


@pytest.mark.parametrize("suffix", [".tif", ".npy"])
def test_small_files_of_large_pictures_are_refused(tmp_path, suffix, monkeypatch):
    monkeypatch.setattr("robustnmf._picture_files.opened.memory_left", lambda: 10**6)
    path = tmp_path / f"a{suffix}"
    pages = np.zeros((20, 200, 200), dtype=np.uint8)
    if suffix == ".npy":
        np.save(path, pages)
    else:
        tifffile.imwrite(path, pages, photometric="minisblack", compression="zlib")
        assert path.stat().st_size < 10**5
    with pytest.raises(PictureError, match=r"unpacks to 800.0 kB.*1.0 MB of memory are left"):
        read_picture(path)


def test_unknown_names():
    from pathlib import Path

    with pytest.raises(ValueError, match="no picture that we know"):
        kind_of(Path("a.bmp"))


@pytest.mark.parametrize(
    ("shape", "axis"), [((12, 10), None), ((12, 10, 3), -1), ((4, 12, 10), None), ((5, 12, 10), 0)]
)
def test_before_after_shows_three_panels(tmp_path, shape, axis):
    image = np.random.default_rng(0).random(shape)
    mask = np.zeros(shape, dtype=bool)
    mask.reshape(-1)[0] = True
    made = before_after(image, image, mask, axis)
    assert made.shape == (12, 3 * 10 + 16, 3)
    assert made.dtype == np.uint8
    np.testing.assert_array_equal(made[:, :10], made[:, 18:28])
    assert tuple(made[0, 36]) == (220, 30, 30)
    for suffix in (".png", ".jpg"):
        write_array(tmp_path / f"a{suffix}", [made])
    write_array(tmp_path / "m.png", [np.uint8(255) * mask])
