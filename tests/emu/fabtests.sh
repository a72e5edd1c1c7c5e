#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: fabtests.sh LIBRARY LIST
#
# libfabric's own tests, as server and client. No binary package of Debian 12 has them (whether its source of libfabric does was not
# to be seen where this was written), so who has built them says where: VERBSX_FABTESTS is a folder with fi_msg and its like. The
# address is none of this machine's: of one of lo, libfabric's provider forgets the port.
set -euo pipefail

if [[ ! -x ${VERBSX_FABTESTS:-}/fi_msg ]]; then
	echo "skipped: VERBSX_FABTESTS is no folder with libfabric's fabtests (fi_msg), of which Debian has no package"
	exit 77
fi
OURS=$VERBSX_FABTESTS ADDRESS=10.1.0.1 exec bash "$(dirname "${BASH_SOURCE[0]}")/programs.sh" "$1" "$2" ethernet
