# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Command lines that make no sense, and words of what is said of each; HERE is a folder."""

NO_RELEASE = "must be a release of rdma-core, a number such as 44, from 12 on"
NONSENSE: tuple[tuple[str, str], ...] = (
    *((f"{command} --release {number} {tree}", f"{number}: {NO_RELEASE}")
      for command in ("scan", "emit --output HERE/out", "check") for tree in ("--headers HERE/empty",)
      for number in ("0", "3", "11", "00", "1000", "99999999999999999999", "-", "4.5", "44x", "x", "٤٤", "0x2c", "1e2", "+44")),
    ("scan --release=-44", f"-44: {NO_RELEASE}"),
    ("scan --release=", f"nothing: {NO_RELEASE}"),
    ("scan --release", "expected one argument"),
    ("scan --relaese 44", "unrecognized arguments"),
    ("scan 44", "unrecognized arguments"),
    ("scan --headers", "expected one argument"),
    ("scan --headers HERE/gone --release 44", "HERE/gone: no such folder".replace("HERE/", "")),
    ("scan --headers HERE/\udcff --release 44", "a name that is no UTF-8, which libclang does not take"),
    ("scan --headers HERE/file --release 44", "file: no such folder"),
    ("scan --headers HERE/empty --release 44", "infiniband/verbs.h: no such header in"),
    ("scan --headers HERE/empty", "name it: --release NN"),
    ("scan --headers HERE/empty --release 65", "or say which release it is: --release NN"),
    ("scan --groups HERE/gone", "gone: cannot read: No such file"),
    ("scan --groups HERE", "cannot read: Is a directory"),
    ("scan --groups HERE/file", "file: no header group in this file"),
    ("scan --symbols HERE/gone --headers HERE/empty --release 44", "no such header"),
    ("emit --headers HERE/empty --installed", "not allowed with argument"),
    ("emit --installed", "made from the committed facts"),
    ("emit --headers HERE/empty", "made from the committed facts"),
    ("emit --headers HERE/gone --release 44 --output HERE/out", "gone: no such folder"),
    ("emit --release 44 --output HERE/out", "--release 44 is of headers that are scanned"),
    ("emit --symbols HERE/gone --output HERE/out", "--symbols are of headers that are scanned"),
    *((f"{command} --headers HERE/empty --release {release}",
       f"empty: rdma-core {release}: libverbsx needs headers of release 33 or newer\n  no facts are of an older one; if the headers are of another release than {release}")
      for command in ("emit --output HERE/out", "report", "check", "abi") for release in (12, 32)),
    ("report --headers HERE/old/usr/include", "rdma-core 25: libverbsx needs headers of release 33 or newer\n  install a newer rdma-core"),
    ("check --release 44", "--release 44 is of headers that are scanned"),
    ("emit --groups HERE/gone --output HERE/out", "gone: cannot read: No such file"),
    ("emit --output", "expected one argument"),
    *((f"{command} --output HERE/file{below}", "file: cannot write: is no folder\n  name one, or one that can be made: --output DIR") for command in ("emit", "check") for below in ("", "/out")),
    ("emit --quite", "unrecognized arguments"),
    ("emti", "invalid choice"),
    ("", "the following arguments are required: COMMAND"),
    ("diff", "the following arguments are required"),
    ("diff 44 45", "no facts are kept of release 45"),
    ("diff 44 HERE/gone", "gone: cannot read: No such file"),
    ("diff 44 44x", "44x: cannot read: No such file or directory\n  name a release ("),
    ("diff 44 HERE/file", "file:1: not a facts file"),
    ("diff 44 65 --format word", "invalid choice: 'word'"),
    ("abi --groups HERE/gone", "gone: cannot read: No such file"),
)
