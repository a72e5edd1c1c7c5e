#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What the scripts beside share; sourced by them with their arguments.
set -euo pipefail

# shellcheck disable=SC2034 # who sources this has a use for them
readonly vx=$2 golden=$3 build=${4:-}
sources=$(dirname "${BASH_SOURCE[0]}")/../../examples/vx
# shellcheck disable=SC2034
readonly sources
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work LC_ALL=C.UTF-8
unset NO_COLOR COLUMNS VERBSX_EMU_LIB VERBSX_TRACE LD_PRELOAD

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# What a file says, less the ends of its last lines; without a process, as this is done thousands of times: read_into VARIABLE FILE
read_into() {
	local -n text=$1

	IFS= read -r -d '' text <"$2" || true
	text=${text%"${text##*[!$'\n']}"}
}

# run STATUS COMMAND...: the command must end so; its output is in $output and $errors.
output='' errors=''
run() {
	local wanted=$1 status=0
	shift

	"$@" >"$work/output" 2>"$work/errors" || status=$?
	read_into output "$work/output"
	read_into errors "$work/errors"
	[[ $status == "$wanted" ]] || die "$*: exit status $status, not $wanted: $output $errors"
}

# like TEXT PATTERN: a line of the text matches.
like() {
	grep -q -e "$2" <<<"$1" || die "no '$2' in: $1"
}

unlike() {
	! grep -q -e "$2" <<<"$1" || die "'$2' in: $1"
}

nothing() {
	[[ -z $1 ]] || die "there should be nothing: $1"
}

# A machine without devices, whatever this one has.
without_devices() {
	mkdir -p "$work/sys"
	SYSFS_PATH=$work/sys "$@"
}

emulated() {
	"$vx" emu -- "$@"
}

# On a terminal of so many columns; the end of its lines is not of interest.
on_terminal() {
	local columns=$1
	shift

	script -qec "stty cols $columns; $(printf '%q ' "$@")" /dev/null </dev/null | tr -d '\r'
}

emu_library() {
	emulated printenv LD_PRELOAD
}

# The golden file in $1 differs from the output.
update() {
	[[ -n ${UPDATE:-} ]] || die "differs from $1"
	cp "$work/output" "$1"
}
