# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What a test that is a script of its own has: a folder that goes with it, a fabric that nobody else is on, and a way to fail.
# To be sourced.
TMPDIR=$(mktemp -d)
export TMPDIR VERBSX_EMU_FABRIC=$$
trap 'rm -rf "$TMPDIR"' EXIT

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}
