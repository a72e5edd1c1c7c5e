# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""rdma-core's headers and libraries of the releases we keep facts of, from Debian's packages.

    python3 -m gen.reach.releases [NN...] [--cache DIR] [--runtime]

fetches what is missing into the cache and prints a line for each release: its number and its folder, which
has usr/include, usr/lib and, in symbols, the .symbols files of the library packages. A release that Debian has not
comes from the git repository that VERBSX_RDMA_CORE_REPOSITORY names, without libraries. With --runtime the
folder has what a program needs to run on that release instead: the libraries, upstream's programs and the C
library with its loader. The machine's own apt is left as it is: apt-get runs with a private configuration,
from the mirror that the machine already uses.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import GenError, report
from . import checkout


@dataclass(frozen=True)
class Suite:
    """Where a release of rdma-core is packaged, and what Debian calls librdmacm's package there."""

    name: str
    librdmacm: str


RELEASES = {
    33: Suite("bullseye", "librdmacm1"),
    44: Suite("bookworm", "librdmacm1"),
    56: Suite("trixie", "librdmacm1t64"),
    65: Suite("sid", "librdmacm1t64"),
}
# rdma-core's own, and what these need; a release's libraries want the C library of its suite
RUNTIME = ["ibverbs-providers", "ibverbs-utils", "libibverbs1"]
RUNTIME_NEEDS = ["libc6", "libnl-3-200", "libnl-route-3-200"]
ETC = Path("/etc/apt")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
DEBIAN_SUITES = {"oldoldstable", "oldstable", "stable", "testing", "unstable", "sid",
                 "buster", "bullseye", "bookworm", "trixie", "forky", "duke"}

# Dir::State::status: what is installed here must not decide what is downloaded. The hooks are cleared because
# those of a machine act on the machine (container images delete its package cache after each update).
APT_CONF = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Dir::Cache "{work}/cache";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{work}/sources";
Dir::State "{work}/state";
Dir::State::Lists "{work}/lists";
Dir::State::status "{work}/status";
"""
# As root apt gives up its rights before it downloads, and could then not write to a private folder.
APT_CONF_ROOT = 'APT::Sandbox::User "root";\n'

HINT = "is the network there, and does the mirror have the suite?"


# ---- what other parts of the generator ask for ----

def default_cache() -> Path:
    """The folder that releases are kept in: ${XDG_CACHE_HOME:-~/.cache}/verbsx/releases."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "verbsx" / "releases"


def tree(release: int, cache: Path | None = None) -> Path:
    """The folder of a release, fetched if need be."""
    folder = (cache or default_cache()) / str(release)
    if not folder.is_dir():
        if release in RELEASES or checkout.repository() is None:
            fetch(release, folder)
        else:
            check_out(release, folder)
    return folder


def runtime(release: int, cache: Path | None = None) -> Path:
    """The folder of what a program needs to run on a release, fetched if need be."""
    folder = (cache or default_cache()) / f"{release}-runtime"
    if not folder.is_dir():
        fetch(release, folder, RUNTIME, RUNTIME_NEEDS)
    return folder


def header_tree(release: int, cache: Path | None = None) -> Path:
    """The folder of a release's headers, with infiniband/ and rdma/ in it."""
    return tree(release, cache) / "usr/include"


def library_dir(release: int, cache: Path | None = None) -> Path:
    """The folder of a release's shared libraries (usr/lib/<architecture>)."""
    root = tree(release, cache)
    found = sorted(root.glob("usr/lib/*/libibverbs.so.1"))
    if not found:
        raise GenError("no usr/lib/*/libibverbs.so.1", root, hint="remove the folder: it is fetched anew")
    return found[0].parent


def symbols(release: int, cache: Path | None = None) -> list[Path]:
    """The .symbols files of a release's library packages."""
    return sorted((tree(release, cache) / "symbols").iterdir())


# ---- the mirror this machine uses ----

@dataclass(frozen=True)
class Source:
    """An entry of apt's sources, in either format."""

    uris: str
    suites: list[str]
    components: list[str]
    signed_by: str

    def is_debian(self) -> bool:
        """Whether it is Debian's main archive rather than its updates or somebody else's packages."""
        ours = not self.signed_by or "debian-archive" in self.signed_by
        return ours and "main" in self.components and any(suite in DEBIAN_SUITES for suite in self.suites)


def debian_uris(etc: Path) -> str:
    """The URIs of the first entry for Debian's archive among apt's sources."""
    for source in sources(etc):
        if source.is_debian():
            return source.uris
    raise GenError("no entry for Debian's archive (a suite such as bookworm, component main)", etc,
                   hint="releases can only be fetched where apt knows a Debian mirror; "
                        "the committed facts in gen/facts do without")


def sources(etc: Path) -> Iterator[Source]:
    """Every enabled entry of sources.list and sources.list.d."""
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        if path.suffix == ".sources":
            yield from stanzas(path.read_text())
        elif path.suffix == ".list":
            yield from lines(path.read_text())


def stanzas(text: str) -> Iterator[Source]:
    """The entries of a deb822 file."""
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for paragraph in re.split(r"\n\s*\n", kept):
        fields = {name.lower(): " ".join(value.split())
                  for name, value in re.findall(r"^([\w-]+):((?:.*)(?:\n[ \t].*)*)", paragraph, re.M)}
        if "deb" in fields.get("types", "").split() and fields.get("enabled", "yes").lower() != "no":
            yield Source(fields.get("uris", ""), fields.get("suites", "").split(),
                         fields.get("components", "").split(), fields.get("signed-by", ""))


def lines(text: str) -> Iterator[Source]:
    """The entries of a file in the one-line format: deb [options] URI suite component..."""
    for options, uri, suite, components in re.findall(
            r"^\s*deb\s+(?:\[([^]]*)\]\s*)?(\S+)\s+(\S+)((?:[ \t]+[^\s#]+)*)", text, re.M):
        signed_by = re.search(r"signed-by=(\S+)", options, re.I)
        yield Source(uri, [suite], components.split(), signed_by.group(1) if signed_by else "")


# ---- fetching ----

def fetch(release: int, folder: Path, names: Sequence[str] | None = None, others: Sequence[str] = ()) -> None:
    """
    Download and unpack packages of a release, by default those with headers and libraries, and others of its
    suite; the folder appears only when it is complete.
    """
    suite = suite_of(release)
    names = names or ["libibverbs-dev", "libibverbs1", "librdmacm-dev", suite.librdmacm, "ibverbs-providers"]
    require_tools()
    uris = debian_uris(ETC)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{release}.", dir=folder.parent) as temporary:
        work = Path(temporary)
        configure(work, uris, suite)
        packages = download(work, names, others)
        for package in packages:
            if package.name.split("_")[0] in names:
                check_release(package, release, suite)
        unpack(packages, work / "tree")
        put(work / "tree", folder)


def check_out(release: int, folder: Path) -> None:
    """Take the headers of a release from the repository; the folder appears only when it is complete."""
    place = checkout.repository()
    assert place is not None
    tags = checkout.tags(place)
    if release not in tags:
        raise GenError(f"release {release} is not tagged there", place, hint=f"the newest tag is {max(tags, default=0)}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{release}.", dir=folder.parent) as temporary:
        checkout.install_from(place, tags[release], Path(temporary, "tree"))
        put(Path(temporary, "tree"), folder)


def suite_of(release: int) -> Suite:
    """The suite that has a release, or an error that names those there are."""
    if release not in RELEASES:
        known = ", ".join(str(number) for number in RELEASES)
        raise GenError(f"release {release} of rdma-core is not one of those fetched from Debian ({known})",
                       hint="name a header tree instead, add the release to RELEASES in gen/reach/releases.py, or a git repository "
                            f"of rdma-core to the environment: {checkout.VARIABLE}")
    return RELEASES[release]


def require_tools() -> None:
    """Say what is missing before anything is begun."""
    for tool in ("apt-get", "dpkg", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise GenError(f"{tool} not found", hint="releases are fetched from Debian's packages; "
                                                     "the committed facts in gen/facts do without")
    if not KEYRING.exists():
        raise GenError("Debian's archive keyring is not installed", KEYRING,
                       hint="apt-get install debian-archive-keyring")


def configure(work: Path, uris: str, suite: Suite) -> None:
    """Write apt's private configuration and its one source."""
    for folder in ("sources", "lists/partial", "cache/archives/partial", "state", "debs"):
        (work / folder).mkdir(parents=True)
    (work / "status").touch()
    (work / "apt.conf").write_text(APT_CONF.format(work=work) + (APT_CONF_ROOT if os.geteuid() == 0 else ""))
    (work / "sources/debian.sources").write_text(
        f"Types: deb\nURIs: {uris}\nSuites: {suite.name}\nComponents: main\n"
        f"Architectures: {run(['dpkg', '--print-architecture']).strip()}\nSigned-By: {KEYRING}\n")


def download(work: Path, names: Sequence[str], others: Sequence[str]) -> list[Path]:
    """Download packages with the private configuration."""
    apt = ["apt-get", "-q", "-c", str(work / "apt.conf")]
    run([*apt, "update"], hint=HINT)
    run([*apt, "download", *names, *others], cwd=work / "debs", hint=HINT)
    return sorted((work / "debs").glob("*.deb"))


def check_release(package: Path, release: int, suite: Suite) -> None:
    """Refuse a package of another release: suites move on, and facts must be of the release they name."""
    version = run(["dpkg-deb", "-f", str(package), "Version"]).strip()
    if not re.match(rf"{release}\b", version):
        raise GenError(f"{suite.name} now has rdma-core {version}, not release {release}",
                       hint=f"the facts of {release} stay as they are committed; to follow the suite, "
                            "change RELEASES in gen/reach/releases.py")


def unpack(packages: Sequence[Path], root: Path) -> None:
    """Unpack packages into one folder, and the .symbols file of each library beside them."""
    (root / "symbols").mkdir(parents=True)
    for package in packages:
        run(["dpkg", "-x", str(package), str(root)])
        control = root.parent / "control" / package.name
        control.parent.mkdir(exist_ok=True)
        run(["dpkg-deb", "-e", str(package), str(control)])
        if (control / "symbols").exists():
            name = package.name.split("_")[0].removesuffix("t64")
            shutil.copyfile(control / "symbols", root / "symbols" / name)


def put(root: Path, folder: Path) -> None:
    """Move a finished tree to its place; another process may have been faster, which is as good."""
    try:
        root.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def run(command: Sequence[str], cwd: Path | None = None, hint: str | None = None) -> str:
    """Run a tool and give its output; a failure becomes an error that quotes the tool."""
    done = subprocess.run(command, cwd=cwd, env={**os.environ, "LC_ALL": "C"}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode != 0:
        words = done.stderr.strip() or f"exit status {done.returncode}"
        action = " ".join(word for word in command if "/" not in word and not word.startswith("-"))
        raise GenError(f"{action} failed:\n{words}", hint=hint)
    return done.stdout


# ---- the command ----

def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the releases asked for (or all) and print where each is."""
    parser = argparse.ArgumentParser(prog="gen.reach.releases",
                                     description="fetch releases of rdma-core from Debian")
    parser.add_argument("releases", metavar="NN", nargs="*", type=int,
                        help=f"of {', '.join(map(str, RELEASES))}; all if none is named")
    parser.add_argument("--cache", metavar="DIR", type=lambda name: Path(name).absolute(), help=f"where to keep them ({default_cache()})")
    parser.add_argument("--runtime", action="store_true",
                        help="what programs need to run on it, with a C library")
    args = parser.parse_args(arguments)
    try:
        for release in args.releases or RELEASES:
            print(release, (runtime if args.runtime else tree)(release, args.cache))
    except GenError as error:
        return report(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
