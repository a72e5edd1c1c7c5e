#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# usage: trace_setgid.sh VX: it must not, when it is set-group-id, write to the file that the environment names.
set -euo pipefail

((EUID == 0)) || { echo "skipped: only root can make a set-group-id program of another group"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

install -g nogroup -m 2755 "$1" "$folder/vx"
VERBSX_TRACE=$folder/plain "$1" devices >/dev/null || (($? == 1))
VERBSX_TRACE=$folder/setgid "$folder/vx" devices >/dev/null || (($? == 1))

grep -q '^ibv_get_device_list(' "$folder/plain"
[[ ! -e $folder/setgid ]]
