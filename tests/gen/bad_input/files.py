# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What may be wrong with any file that the generator reads, whatever is in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple


class Damage(NamedTuple):
    name: str
    make: Callable[[Path], object]  # of a whole file
    words: str
    line: int = 0  # 0: none, as there is no text


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _folder(path: Path) -> None:
    remove(path)
    path.mkdir()


def _loop(path: Path) -> None:
    remove(path)
    path.symlink_to(path)


def _pipe(path: Path) -> None:
    remove(path)
    os.mkfifo(path)


def _device(path: Path) -> None:
    remove(path)
    path.symlink_to("/dev/zero")


def _bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _third_line(added: bytes) -> Callable[[bytes], bytes]:
    return lambda data: b"\n".join([*data.split(b"\n")[:2], added, *data.split(b"\n")[2:]])


DAMAGES = (
    Damage("gone", remove, "cannot read: No such file"),
    Damage("a folder", _folder, "cannot read: Is a directory"),
    Damage("a link to itself", _loop, "cannot read: Too many levels of symbolic links"),
    Damage("a pipe", _pipe, "cannot read: is no regular file"),
    Damage("a device", _device, "cannot read: is no regular file"),
    Damage("UTF-16", _bytes(lambda data: data.decode().encode("utf-16")), "not plain UTF-8 text but UTF-16", 1),
    Damage("UTF-16, big end first", _bytes(lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be")), "not plain UTF-8 text but UTF-16", 1),
    Damage("UTF-16 without a mark", _bytes(lambda data: data.decode().encode("utf-16-le")), "not text: a byte 0", 1),
    Damage("a mark", _bytes(lambda data: b"\xef\xbb\xbf" + data), "not plain UTF-8 text but UTF-8 with a mark", 1),
    Damage("a stray byte", _bytes(_third_line(b"# \xe4")), "not UTF-8 text: the byte 0xe4", 3),
    Damage("a byte 0", _bytes(_third_line(b"#\0")), "not text: a byte 0", 3),
    Damage("half a letter", _bytes(_third_line(b"# \xc3")), "not UTF-8 text: the byte 0xc3", 3),
    Damage("an archive", lambda path: path.write_bytes(b"\x1f\x8b\x08\0\0\0"), "not UTF-8 text: the byte 0x8b", 1),
)
# What TOML does not take: the lines that are added, and which of them is at fault.
NO_TOML = (
    ("[table", 0), ("key", 0), ("key =", 0), ("= 1", 0), ('key = "text', 0), ("key = [1,", 0), ("key = 1\nkey = 1", 1), ("key = 1 2", 0),
    ("key = 01", 0), ("key = { a = 1", 0), ("[bad]\nkey = tru", 1), ('key = "\\q"', 0), ("<<<<<<< HEAD", 0), ("{}", 0), ("]", 0), ("key: 1", 0), (f"key = {'4' * 5000}", 0), (f"key = {'[' * 9999}", 0),
    ("a" + ".a" * 3000 + " = 1", 0), ("[a" + ".a" * 3000 + "]", 0),
)


def no_toml(whole: str) -> Iterator[tuple[str, str, int]]:
    """A name, the text, and the line that is at fault: behind all that is there, in a table of its own."""
    first = whole.count("\n") + 2
    for added, fault in NO_TOML:
        head = "" if added.startswith("[") else "[damaged]\n"
        yield added, f"{whole}\n{head}{added}\n", first + bool(head) + fault
