#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: swept.sh LIBRARY
#
# A process that has just made its sysfs tree, and not locked it yet, while another one takes it for what a dead process has
# left: it gets its device all the same. Each is held up where the other one can come between.
set -euo pipefail

readonly library=$1
# shellcheck source=tests/emu/folder.sh
source "$(dirname "${BASH_SOURCE[0]}")/folder.sh"

devices_while() {
	local -r what=$1 output=$2

	strace -o /dev/null -e "trace=${what%%:*}" -e "inject=$what" env LD_PRELOAD="$library" ibv_devices >"$output" 2>&1
}

trees() {
	ls -d "$TMPDIR"/verbsx-emu-sysfs.* 2>/dev/null | wc -l
}

command -v strace >/dev/null || die "strace is missing"
devices_while mkdir:delay_exit=1000000:when=1..2 "$TMPDIR/maker" &
maker=$!
until (($(trees) == 1)); do
	kill -0 "$maker" 2>/dev/null || die "no tree was made"
	sleep 0.01
done
devices_while rmdir:delay_enter=2000000:when=1 "$TMPDIR/sweeper" || die "$(<"$TMPDIR/sweeper")"
wait "$maker" || die "$(<"$TMPDIR/maker")"
for who in maker sweeper; do
	grep -q mlx5_0 "$TMPDIR/$who" || die "the $who has no device: $(<"$TMPDIR/$who")"
done
(($(trees) == 0)) || die "left behind: $(ls "$TMPDIR")"
