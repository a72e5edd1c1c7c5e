#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: devices.sh CASE VX GOLDEN-FOLDER
#
# One ctest case of the vx tool: devices, devinfo, and the emulated device. With UPDATE=1 golden files are written anew.
set -euo pipefail

# shellcheck source=tests/vx/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# each_hints REASON: whichever command is the first to be tried tells how to go on, once.
each_hints() {
	local reason=$1 command words

	for command in devices devinfo 'devinfo mlx5_0' gids 'gids mlx5_0' ports 'ports mlx5_0'; do
		read -ra words <<<"$command"
		run 1 without_devices "$vx" "${words[@]}"
		like "$errors" "$reason"
		[[ $(grep -c '^vx: "vx emu -- COMMAND" runs a command that finds an emulated device$' <<<"$errors") == 1 ]] ||
			die "$command: no hint, or more than one: $errors"
	done
}

case_no_device() {
	run 1 without_devices "$vx" devices
	nothing "$output"
	like "$errors" '^vx: ibv_get_device_list: Function not implemented: .*modprobe ib_uverbs'
	each_hints 'modprobe ib_uverbs'
	mkdir -p "$work"/sys/class/infiniband{,_verbs}
	run 1 without_devices "$vx" devices
	like "$errors" 'No such device: this machine has no RDMA device'
	each_hints 'No such device: '
}

case_wrong_device() {
	run 1 emulated "$vx" devinfo mlx5_1
	nothing "$output"
	like "$errors" '^vx: vx_ctx_open on mlx5_1: No such device: did you mean mlx5_0?'
	unlike "$errors" 'vx emu'
}

# As vx ports and the guide call ports
case_devinfo_of_port() {
	run 0 emulated "$vx" devinfo mlx5_0/1
	like "$output" '^device mlx5_0$'
	run 1 emulated "$vx" devinfo mlx5_0/7
	nothing "$output"
	like "$errors" 'port_num'
	run 1 emulated "$vx" devinfo mlx5_0/x
	like "$errors" 'did you mean mlx5_0?'
}

case_devices() {
	run 0 emulated "$vx" devices
	nothing "$errors"
	like "$output" '^mlx5_0  uverbs0  IBV_NODE_CA  IBV_TRANSPORT_IB  0002:c903:00a1:b2c3$'
	[[ $(wc -l <<<"$output") == 2 ]] || die "not a line a device: $output"
}

case_devinfo() {
	run 0 emulated "$vx" devinfo
	nothing "$errors"
	diff -u "$golden/devinfo.txt" "$work/output" || update "$golden/devinfo.txt"
	run 0 emulated "$vx" devinfo mlx5_0
	diff -u "$golden/devinfo.txt" "$work/output"
}

# Where ibv_devinfo has a name of its own for a field.
own_names() {
	sed -e 's/^general_odp_caps$/general_caps/' -e 's/^port_\(lid\|lmc\)$/\1/' -e 's/^hca_id$/device/'
}

# All that ibv_devinfo -v tells is there, by the names that both have
case_devinfo_verbose() {
	local name

	run 0 emulated "$vx" devinfo -v
	nothing "$errors"
	like "$output" 'device_cap_flags  *: IBV_DEVICE_.*|.* (0x[0-9a-f]*)$'
	like "$output" 'active_speed  *: 25.0 Gb/s (32)$'
	like "$output" '^ *0  fe80::2:c903:a1:b2c4  IBV_GID_TYPE_IB$'
	like "$output" '^ *0  0xffff$'
	like "$output" '^  mlx5dv_context:$'
	emulated ibv_devinfo -v | sed -n 's/^\t*\([a-z_0-9]*\):.*/\1/p' | own_names | sort -u >"$work/names"
	(($(wc -l <"$work/names") > 60)) || die "ibv_devinfo says little"
	while read -r name; do
		like "$output" "\\b$name"
	done <"$work/names"
}

# Everywhere 127.0.0.1 is an address of this machine, and the kernel has a route to all of 127/8
roce() {
	"$vx" emu -c link_layer=ethernet,ipv4=127.0.0.1 -- "$@"
}

case_gids() {
	run 0 emulated "$vx" gids
	nothing "$errors"
	like "$output" '^device mlx5_0$'
	like "$output" '^ *0  fe80::2:c903:a1:b2c4  IBV_GID_TYPE_IB  yes    the first of an InfiniBand port is its own$'
	run 0 roce "$vx" gids mlx5_0
	nothing "$errors"
	diff -u "$golden/gids.txt" "$work/output" || update "$golden/gids.txt"
}

case_gids_peer() {
	run 0 roce "$vx" gids --peer 127.0.0.9
	like "$output" '^ *3  ::ffff:127.0.0.1 .*ROCE_V2 .* yes    the route to 127.0.0.9 leaves from it$'
	like "$output" '^ *1  fe80::.*ROCE_V2 .* IPv6, and the peer 127.0.0.9 is IPv4$'
	unlike "$output" InfiniBand
	run 0 emulated "$vx" gids --peer 10.0.0.2
	like "$output" '^ *note *: an IP address is no GID of InfiniBand: '
	run 0 emulated "$vx" gids --peer fe80::2:c903:a1:b2c5
	unlike "$output" ' is no GID'
	run 0 roce "$vx" gids -p ::ffff:127.0.0.9
	like "$output" ' yes    the route to 127.0.0.9 leaves from it$'
	run 2 roce "$vx" gids --peer host.example
	like "$errors" '^vx gids: --peer "host.example" is neither an address of IPv4 or IPv6 nor a GID;'
	run 2 "$vx" devices --peer 127.0.0.9
	run 1 roce "$vx" gids mlx5_1
	like "$errors" '^vx: vx_ctx_open on mlx5_1: No such device: did you mean mlx5_0?'
	run 1 without_devices "$vx" gids
	like "$errors" 'modprobe ib_uverbs'
}

# Each port has an error of its own, and what is not concerned is shown
case_gids_failing() {
	run 1 "$vx" emu -f query_gid_table#1:EIO -c ports=2 -- "$vx" gids
	like "$output" '^  port 1$'
	like "$output" ' yes    the first of an InfiniBand port is its own$'
	like "$errors" '^vx: ibv_query_gid_table on mlx5_0: Input/output error'
	run 1 "$vx" emu -f async_alloc:EIO -- "$vx" gids
	like "$output" '^device mlx5_0$'
	like "$errors" '^vx: ibv_open_device on mlx5_0: Input/output error'
}

# By all that an emulated port has; unit.end_port has the rest
case_ports() {
	local spec

	run 0 emulated "$vx" ports
	nothing "$errors"
	like "$output" '^mlx5_0  *1  IBV_LINK_LAYER_INFINIBAND  IBV_PORT_ACTIVE  *7  *1  0002:c903:00a1:b2c3  0002:c903:00a1:b2c4  fe80::2:c903:a1:b2c4  *1  emuib0$'
	for spec in 0002:c903:00a1:b2c3 7 emuib0 10.1.0.1; do
		run 0 emulated "$vx" ports "$spec"
		[[ $(wc -l <<<"$output") == 2 ]] || die "$spec: $output"
	done
	run 1 emulated "$vx" ports 8
	nothing "$output"
	like "$errors" '^vx: vx_end_ports_get on 8: No such device: .*; there are: mlx5_0/1 (LID 7, fe80::2:c903:a1:b2c4, emuib0)$'
	run 1 emulated "$vx" ports 10.1.0.2
	like "$errors" 'nor address of a port (it is no GID, and no network device has this address); there are: '
	run 0 roce "$vx" ports 127.0.0.1
	like "$output" '^mlx5_0 .* lo$'
	run 1 without_devices "$vx" ports
	like "$errors" 'modprobe ib_uverbs'
}

case_failing_device() {
	# The first query_port is that of libmlx5 itself
	run 1 env VERBSX_EMU_FAULT=query_port#2:EIO "$vx" emu -- "$vx" devinfo
	like "$output" '^device mlx5_0$'
	like "$errors" '^vx: ibv_query_port on mlx5_0: Input/output error'
	run 1 env VERBSX_EMU_FAULT=async_alloc:EIO "$vx" emu -- "$vx" devinfo
	like "$output" '^device mlx5_0$'
	like "$errors" '^vx: ibv_open_device on mlx5_0: Input/output error'
}

case_emu_status() {
	run 7 emulated bash -c 'exit 7'
	run 0 "$vx" emu true
	run 127 emulated no-such-command
	like "$errors" '^vx emu: no-such-command: No such file'
	run 126 emulated "$work"
	run 0 emulated printf '%s ' -h --json --
	[[ $output == '-h --json -- ' ]] || die "the command's own options were touched: $output"
}

case_emu_options() {
	local tap=$work/tap

	run 0 "$vx" emu -c device=mlx5_7 --leaks --trace -- "$vx" devinfo
	like "$output" '^device mlx5_7$'
	like "$errors" 'leaked 0 objects$'
	like "$errors" '^verbsx-emu: 1 get_context$'
	run 1 "$vx" emu --fault query_port#2:EIO -- "$vx" devinfo
	like "$errors" 'ibv_query_port on mlx5_0: Input/output error'
	like "$errors" '^verbsx-emu: the fault query_port#2:EIO happened at call [0-9]*, query_port$'
	run 1 "$vx" emu --fault query_port#1-:EIO -- "$vx" devinfo
	like "$errors" '^verbsx-emu: the fault query_port#1-:EIO happened\( [0-9]* times, first\)* at call [0-9]*, query_port$'
	run 0 "$vx" emu --strict --fault query_port:EIO -- "$vx" devinfo	# what happened is nothing to complain of
	run 3 "$vx" emu --strict --fault create_qp:EIO -- "$vx" devinfo
	like "$errors" 'the fault create_qp:EIO never happened$'
	run 0 "$vx" emu -sl -- "$vx" devinfo
	run 0 "$vx" emu --tap "$tap" -- "$vx" devices
	run 0 test -e "$tap"
	run 1 "$vx" emu --tap "$work/no/such/folder" -- "$vx" devices
	like "$errors" "^vx emu: --tap: cannot write $work/no/such/folder: No such file or directory"
	unlike "$output" mlx5_0
	run 2 "$vx" emu --config no_such_key=1 -- "$vx" devices
	like "$errors" 'no_such_key'
	run 0 "$vx" emu --fault "$work/later" -- "$vx" devices
	like "$errors" "^vx emu: --fault: $work/later is not there: nothing goes wrong until it is written"
	(cd "$work" && echo 'query_port#2:EIO' >some.faults && ! "$vx" emu --fault some.faults -- "$vx" devices 2>named)
	like "$(<"$work/named")" '^vx emu: --fault: the file some.faults is meant only with a / in its name: ./some.faults'
	run 0 env VERBSX_CHECKED=2 "$vx" emu -- "$vx" devices
	[[ $(grep -c 'VERBSX_CHECKED=2: 0 is off' <<<"$errors") == 1 ]] || die "not told once: $errors"
	run 0 env VERBSX_CHECKED=1 "$vx" emu -- printenv VERBSX_CHECKED
	run 2 "$vx" emu --fault
	like "$errors" '^vx emu: --fault needs a value'
	run 2 "$vx" devices --leaks
	like "$errors" '^vx devices: has no option --leaks'
}

case_emu_missing() {
	run 1 env VERBSX_EMU_LIB="$work/none.so" "$vx" emu -- true
	like "$errors" "^vx emu: $work/none.so is not there"
	cp "$vx" "$work/vx"
	run 1 "$work/vx" emu -- true
	like "$errors" '^vx emu: libverbsx-emu.so is not there; VERBSX_EMU_LIB may name it$'
}

case_emu_override() {
	local library

	library=$(emu_library)
	mkdir -p "$work/moved/lib" "$work/with blank"
	cp "$library" "$work/moved/lib/other.so"
	run 0 env VERBSX_EMU_LIB="$work/moved/lib/other.so" "$vx" emu -- "$vx" devices
	like "$output" mlx5_0
	cp "$library" "$work/with blank/other.so"
	run 1 env VERBSX_EMU_LIB="$work/with blank/other.so" "$vx" emu -- true
	like "$errors" 'a blank or a colon'
}

case_emu_preload() {
	local library

	library=$(emu_library)
	run 0 env LD_PRELOAD=libm.so.6 "$vx" emu -- printenv LD_PRELOAD
	[[ $output == "$library:libm.so.6" ]] || die "$output"
}

"case_$1"
