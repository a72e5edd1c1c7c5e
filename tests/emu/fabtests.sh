#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: fabtests.sh LIBRARY LIST
#
# libfabric's own tests, as server and client. No binary package of Debian has them, but its source package of libfabric has, in the
# folder fabtests: they are built of that, with the libfabric that is installed. VERBSX_FABTESTS is a folder of them that were built
# before. The address is none of this machine's: of one of lo, libfabric's provider forgets the port.
set -euo pipefail

folder=$(mktemp -d)
readonly folder
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/emu/sources.sh
source "$(dirname "${BASH_SOURCE[0]}")/sources.sh"

build() {
	./autogen.sh
	./configure
	make -s CFLAGS=-O1
	mkdir "$folder/fabtests"
	find . -name 'fi_*' -type f -perm -1 -exec cp -t "$folder/fabtests" {} +
}

fabtests=${VERBSX_FABTESTS:-}
if [[ -z $fabtests ]]; then
	need_to_build autoreconf libtoolize
	[[ -e /usr/include/rdma/fabric.h ]] || skip "rdma/fabric.h is missing: install libfabric-dev"
	fetch libfabric
	run_in "$folder"/libfabric-*/fabtests build
	fabtests=$folder/fabtests
fi
OURS=$fabtests ADDRESS=10.1.0.1 bash "$(dirname "${BASH_SOURCE[0]}")/programs.sh" "$1" "$2" ethernet
