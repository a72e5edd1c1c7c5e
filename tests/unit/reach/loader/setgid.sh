#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# usage: setgid.sh PROGRAM: it must not, when it is set-group-id, open the library that the environment names.
set -euo pipefail

((EUID == 0)) || { echo "skipped: only root can make a set-group-id program of another group"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

export VERBSX_IBVERBS_LIB=/nonexistent/libibverbs.so.1
plain=$("$1")
install -g nogroup -m 2755 "$1" "$folder/program"
setgid=$("$folder/program")
own=$(env -u VERBSX_IBVERBS_LIB "$1")

echo "override: $plain, set-group-id: $setgid, without override: $own"
[[ $own != 0 ]] || { echo "skipped: there is no libibverbs.so.1 here"; exit 77; }
[[ $plain == 0 && $setgid == "$own" ]]
