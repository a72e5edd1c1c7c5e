#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: mpi.sh LIBRARY RANKS LINK-LAYER SOURCE
#
# Builds a program with Open MPI and runs it: as it comes, and with nothing but the emulated device between ranks.
set -euo pipefail

readonly library=$1 ranks=$2 link=$3 source=$4
TMPDIR=$(mktemp -d /tmp/vxmpi.XXXX) # short, as sockets are in it
export TMPDIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
trap 'rm -rf "$TMPDIR"' EXIT

die() {
	echo "mpi.sh: $*" >&2
	exit 1
}

run() {
	timeout 100 mpirun --oversubscribe -np "$ranks" -x LD_PRELOAD="$library" \
		-x VERBSX_EMU_CONFIG="link_layer=$link" "$@" "$TMPDIR/ranks" >"$TMPDIR/output" 2>&1 ||
		die "$*: $(tail -n 20 "$TMPDIR/output")"
}

command -v mpicc >/dev/null || die "mpicc is missing: install libopenmpi-dev and openmpi-bin"
mpicc -o "$TMPDIR/ranks" "$source"
run
run --mca pml ucx -x UCX_TLS=ib,self -x VERBSX_EMU_TAP="$TMPDIR/tap"
grep -q '^packet peer' "$TMPDIR/tap" || die "nothing went by the device"
