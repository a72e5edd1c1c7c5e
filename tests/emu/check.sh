#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: check.sh CASE LIBRARY PROGRAM
#
# One ctest case of the emulated device, on the installed libibverbs and libmlx5: a function of cases/.
# GOLDEN_WRITE=1 makes the golden files anew instead of comparing with them.
# Every case also fails when something is left behind in its TMPDIR.
set -euo pipefail

# shellcheck disable=SC2034 # for the cases
readonly library=$2 program=$3 SKIPPED=77
here=$(dirname "${BASH_SOURCE[0]}")
readonly here
# An interpreter, and not what looks for one as pyenv has it: a shell and a dozen processes, each with the device preloaded
python=$(PATH=/usr/bin:$PATH command -v python3)
# shellcheck disable=SC2034 # for the cases
readonly python
TMPDIR=$(mktemp -d)
export TMPDIR
trap '{ kill $(jobs -p) || true; } 2>/dev/null; rm -rf "$TMPDIR"' EXIT

die() {
	echo "check.sh: $*" >&2
	exit 1
}

# A file of golden/ and what it should be equal to: golden NAME FILE
golden() {
	local name=$1 file=$2 expected

	expected=$here/golden/$name
	[ -z "${GOLDEN_WRITE:-}" ] || cp "$file" "$expected"
	diff -u "$expected" "$file" || die "not as in $expected"
}

need() {
	command -v "$1" >/dev/null || die "$1 is missing: install $2"
}

# Run a command on the emulated device: emulated [NAME=VALUE...] COMMAND...
emulated() {
	env LD_PRELOAD="$library" "$@" 2>&1
}

expect() {
	local pattern=$1 output=$2

	grep -q -- "$pattern" <<<"$output" || die "no '$pattern' in: $output"
}

# What the runner says of all tests, those of another link layer too, whose reasons are shown
all_passed() {
	local output=$1

	expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
	expect 'leaked 0 objects$' "$output"
	! grep 'leaked [1-9]' <<<"$output" || die "something is left"
	grep SKIP <<<"$output" || true
	grep Synthesis <<<"$output"
}

for cases in "$here"/cases/*.sh; do
	# shellcheck source=/dev/null
	source "$cases"
done

"case_$1"
[ -z "$(ls -A "$TMPDIR")" ] || die "left behind: $(ls "$TMPDIR")"
