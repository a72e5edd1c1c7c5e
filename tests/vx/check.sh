#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: check.sh CASE VX GOLDEN-FOLDER
#
# One ctest case of the vx tool: what it does. With UPDATE=1 golden files are written anew.
set -euo pipefail

# shellcheck source=tests/vx/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# ---- the command line ----

case_help() {
	local command all

	run 0 "$vx" --help
	all=$output
	for command in devices devinfo explain api emu; do
		like "$all" "^  $command "
		run 0 "$vx" "$command" -h
		like "$output" "^usage: vx $command"
		run 0 "$vx" "$command" --help
		nothing "$errors"
	done
}

case_version() {
	run 0 "$vx" --version
	like "$output" '^vx [0-9]*\.[0-9]*\.[0-9]*$'
	run 0 "$vx" -V
	like "$output" '^vx [0-9]'
}

case_no_command() {
	run 2 "$vx"
	like "$errors" 'which command'
	nothing "$output"
	run 2 "$vx" device
	like "$errors" 'no command "device"'
}

case_wrong_options() {
	run 2 "$vx" devices --verbose
	like "$errors" '^vx devices: has no option --verbose'
	run 2 "$vx" devices --colour
	run 2 "$vx" devices mlx5_0
	run 2 "$vx" devinfo one two
	run 2 "$vx" api -e ibv_mtu
	run 2 "$vx" explain
	like "$errors" 'what is to be explained'
	run 2 "$vx" explain 12 --enum
	run 2 "$vx" explain ibv_mtu 1 --enum ibv_mtu
	run 2 "$vx" emu
	run 2 "$vx" emu --json
	nothing "$output"
}

case_write_error() {
	local status=0

	"$vx" api --names >/dev/full 2>"$work/errors" || status=$?
	[[ $status == 1 ]] || die "exit status $status"
	like "$(<"$work/errors")" '^vx: cannot write: No space left on device$'
}

# Also where SIGPIPE is ignored, as Python's children have it
case_broken_pipe() {
	local first

	first=$({ "$vx" api --names || true; } 2>"$work/errors" | head -1)
	[[ -n $first ]] || die "no output"
	nothing "$(<"$work/errors")"
	first=$({ (trap '' PIPE; "$vx" api --names) || true; } 2>"$work/errors" | head -1)
	nothing "$(<"$work/errors")"
}

case_names() {
	run 0 "$vx" api --names
	like "$output" '^ibv_wc_status$'
	like "$output" '^IBV_WC_SUCCESS$'
	like "$output" '^ibv_port_attr$'
	like "$output" '^ibv_create_qp$'
	like "$output" '^ENOMEM$'
}

# ---- devices ----

case_no_device() {
	run 1 without_devices "$vx" devices
	nothing "$output"
	like "$errors" '^vx: ibv_get_device_list: Function not implemented: .*modprobe ib_uverbs'
	run 1 without_devices "$vx" devinfo
	like "$errors" 'modprobe ib_uverbs'
	mkdir -p "$work/sys/class/infiniband_verbs"
	run 1 without_devices "$vx" devices
	like "$errors" 'No such device: this machine has no RDMA device'
	run 1 without_devices "$vx" devinfo
	like "$errors" 'No such device: this machine has no RDMA device'
}

case_wrong_device() {
	run 1 emulated "$vx" devinfo mlx5_1
	nothing "$output"
	like "$errors" '^vx: vx_ctx_open on mlx5_1: No such device: did you mean mlx5_0?'
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

case_failing_device() {
	# The first query_port is that of libmlx5 itself
	run 1 env VERBSX_EMU_FAULT=query_port#2:EIO "$vx" emu -- "$vx" devinfo
	like "$output" '^device mlx5_0$'
	like "$errors" '^vx: ibv_query_port on mlx5_0: Input/output error'
	run 1 env VERBSX_EMU_FAULT=async_alloc:EIO "$vx" emu -- "$vx" devinfo
	like "$output" '^device mlx5_0$'
	like "$errors" '^vx: ibv_open_device on mlx5_0: Input/output error'
}

# ---- emu ----

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
	run 0 "$vx" emu --tap "$tap" -- "$vx" devices
	run 0 test -e "$tap"
	run 2 "$vx" emu --config no_such_key=1 -- "$vx" devices
	like "$errors" 'no_such_key'
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

# ---- explain ----

# Each golden file begins with the arguments that it shows the output of.
case_explain_golden() {
	local file arguments

	for file in "$golden"/explain_*.txt; do
		read -ra arguments <"$file"
		[[ ${arguments[0]} == '$' && ${arguments[1]} == vx ]] || die "$file does not begin with '$ vx'"
		run 0 "$vx" "${arguments[@]:2}"
		nothing "$errors"
		{ head -1 "$file" && echo "$output"; } >"$work/shown"
		mv "$work/shown" "$work/output"
		diff -u "$file" "$work/output" || update "$file"
	done
}

case_explain_absent() {
	run 1 "$vx" explain IBV_WC_RETRY_EXC_ER
	nothing "$output"
	like "$errors" '^vx explain: nothing is known of "IBV_WC_RETRY_EXC_ER"; closest: IBV_WC_RETRY_EXC_ERR'
	run 1 "$vx" explain qqqqzzzz
	like "$errors" '^vx explain: nothing is known of "qqqqzzzz"$'
	run 1 "$vx" explain ''
	run 1 "$vx" explain ibv_wc_status 99
	like "$errors" '^vx explain: ibv_wc_status has no value 99$'
	run 1 "$vx" explain 12 --enum ibv_wc_statu
	like "$errors" 'closest: ibv_wc_status'
	run 1 "$vx" explain ibv_wc_status IBV_WC_SUCESS
	like "$errors" 'did you mean IBV_WC_SUCCESS?'
	unlike "$errors" vx_enum_parse
	run 1 "$vx" explain 'inline of what'	# also the end of an enum's name
	like "$errors" 'nothing is known of "inline of what"'
	run 1 "$vx" explain 123456789
	run 1 "$vx" explain 18446744073709551615	# no -1
	run 1 "$vx" explain 99999999999999999999999
	run 1 "$vx" explain ibv_port_attr.
	run 1 "$vx" explain ibv_port_attr.speed
	run 1 "$vx" explain .
	run 1 "$vx" explain '|'
	run 1 "$vx" explain 1 2 3
	run 1 "$vx" explain no_such_field_x 12
	run 1 "$vx" explain vx_qp_creat
	like "$errors" 'closest: vx_qp_create'
	run 1 "$vx" explain VX_NON
	like "$errors" 'closest: VX_NONE'
	run 1 "$vx" explain VERBSX_TRAC
	like "$errors" 'closest: VERBSX_TRACE'
	run 1 "$vx" explain VERBSX_HAVE_VX_NOTHING
}

# As the messages of libverbsx and its headers name things.
case_explain_own_words() {
	run 0 "$vx" explain cap.max_recv_wr
	like "$output" 'ibv_qp_cap.max_recv_wr'
	run 0 "$vx" explain 'ah_attr.grh.sgid_index = 200'
	like "$output" 'ibv_global_route.sgid_index'
	run 0 "$vx" explain cap.max_recv_wr=4294967295
	like "$output" '^macro VX_NONE$'
	run 0 "$vx" explain 'vx_qp_create: Argument list too long'
	like "$output" '^  remedy  *: Update libverbsx'
	run 0 "$vx" explain 'struct vx_qp'
	like "$output" '^  says  *: Handle: QP. vx_qp_create() makes one'
	run 0 "$vx" explain RNR
	like "$output" '^  says  *: Receiver not ready'
	run 0 "$vx" explain VERBSX_CHECKS
	for name in vx_ctx vx_mcast VX_JSON VX_FOLLOW VX_OBJECT_PARENT_DOMAIN; do
		run 0 "$vx" explain "$name"
		like "$output" '^  says  *: ...'
	done
}

# What people have before them: an attribute with its value, a line of a log, a text of libibverbs or of the C library.
case_explain_messages() {
	run 0 "$vx" explain min_rnr_timer 12
	like "$output" '^field ibv_qp_attr.min_rnr_timer$'
	like "$output" '^  value  *: 0.64 ms (12)$'
	like "$output" '^  says  *: how long the peer waits'
	run 0 "$vx" explain ibv_qp_attr.timeout 14
	like "$output" '^  value  *: 67.1 ms (14)$'
	run 0 "$vx" explain retry_cnt 7
	like "$output" '^field ibv_qp_attr.retry_cnt$'
	run 0 "$vx" explain errno 22
	like "$output" '^errno EINVAL$'
	unlike "$output" ibv_event_type
	run 0 "$vx" explain Cannot allocate memory
	like "$output" '^errno ENOMEM$'
	run 0 "$vx" explain "transport retry counter exceeded"
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	run 0 "$vx" explain "IBV_WC_RETRY_EXC_ERR (12)"
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	run 0 "$vx" explain MTU 4096
	like "$output" '^  value  *: 5$'
	run 0 "$vx" explain 'vx_qp_modify()'
	like "$output" '^function ibv_modify_qp$'
}

# An attribute with its value, in each form that is in use, and by what the value is.
case_explain_attributes() {
	local text

	for text in 'active_width 2' 'active_width=2' 'active_width: 2' 'active_width : 4X (2)'; do
		run 0 "$vx" explain "$text"
		like "$output" '^field ibv_port_attr.active_width$'
		like "$output" '^  value  *: 4X (2)$'
	done
	run 0 "$vx" explain link_speed 32
	like "$output" '^  value  *: 25.0 Gb/s (32)$'
	run 0 "$vx" explain rnr_timer 12
	like "$output" '^field ibv_qp_attr.min_rnr_timer$'
	like "$output" '^  value  *: 0.64 ms (12)$'
	run 0 "$vx" explain 'state: IBV_PORT_ACTIVE (4)'
	like "$output" '^  means  *: Active'
	run 0 "$vx" explain qp_state=IBV_QPS_RTS
	like "$output" '^enumerator IBV_QPS_RTS$'
	run 0 "$vx" explain max_qp_wr=16384
	like "$output" '^field ibv_device_attr.max_qp_wr$'
	run 1 "$vx" explain no_such_field_x=12
	run 0 "$vx" explain active_width=wide
	unlike "$output" '^  value  *:'
	run 1 "$vx" explain =2
}

# Whole lines: the call, the errno, and whatever else has a name there.
case_explain_lines() {
	run 0 "$vx" explain 'ibv_create_qp: Cannot allocate memory'
	like "$output" '^function ibv_create_qp$'
	like "$output" '^errno ENOMEM$'
	run 0 "$vx" explain 'ibv_create_qp on rxe0: Invalid argument: cap.max_send_wr = 100000, but the device allows max_qp_wr = 16384'
	like "$output" '^function ibv_create_qp$'
	like "$output" '^errno EINVAL$'
	like "$output" 'ibv_qp_cap.max_send_wr'
	like "$output" '^field ibv_device_attr.max_qp_wr$'
	run 0 "$vx" explain 'ibv_modify_qp on mlx5_0 qp 17, INIT -> RTR: Invalid argument: RC needs IBV_QP_MIN_RNR_TIMER.'
	like "$output" '^function ibv_modify_qp$'
	like "$output" '^enumerator IBV_QP_MIN_RNR_TIMER$'
	run 0 "$vx" explain 'vx_ctx_open on mlx5_1: No such device: did you mean mlx5_0?'
	like "$output" '^function vx_ctx_open$'
	like "$output" '^errno ENODEV$'
	run 0 "$vx" explain 'Failed status transport retry counter exceeded (12) for wr_id 0'
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	run 0 "$vx" explain 'rdma_bind_addr: No such device or address'
	like "$output" '^errno ENXIO$'
	unlike "$output" ENODEV
	run 1 "$vx" explain 'nothing here: that_is known'
}

# As NCCL, UCX, perftest, libfabric, Open MPI, SPDK, the kernel, loaders and compilers write them
case_explain_foreign_lines() {
	local wanted line headings count=0

	while IFS=$'\t' read -r wanted line; do
		[[ $wanted == '#'* ]] && continue
		run 0 "$vx" explain -- "$line"
		headings=$(grep -E '^[a-z_]+ ' <<<"$output" | paste -sd';' | sed 's/;/; /g')
		[[ $headings == "$wanted"* ]] || die "$line: $headings, not $wanted"
		((++count))
	done <"$(dirname "$golden")/lines.txt"
	((count > 50)) || die "only $count lines"
}

# A line need not be in quotes, as long as it has nothing in it that a shell takes for its own.
case_explain_unquoted() {
	run 0 "$vx" explain E0603 20:16:59 worker_pool.cpp:271] Worker: Process failed for slice opcode: 1, source_addr: 0x7f20fe0f1680, \
		length: 65536, dest_addr: 0x7f3d820f3a80, local_nic: mlx5_7, retry_cnt: 0 transport retry counter exceeded
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	run 0 "$vx" explain ibv_post_send: -EINVAL
	like "$output" '^errno EINVAL$'
	run 0 "$vx" explain ibv_post_send returned -22
	like "$output" '^errno EINVAL$'
}

# Words that are not what they look like, and numbers that mean something else than usual
case_explain_misleading_lines() {
	run 0 "$vx" explain 'CQ transport error -6 on qpair id 0'
	unlike "$output" IBV_EVENT_PORT_ERR
	run 0 "$vx" explain 'async reg mr failed. status -12'
	unlike "$output" IBV_WC_RETRY_EXC_ERR
	run 0 "$vx" explain 'Got completion with status=12 opcode=0 len=0 vendor err 129'
	unlike "$output" ENOMEM
	unlike "$output" IBV_WC_SEND
	like "$output" '^vendor_err 0x81$'
	run 0 "$vx" explain 'verbs.c:4: fatal error: infiniband/verbs.h: No such file or directory'
	unlike "$output" ENOENT
	unlike "$output" IBV_WC_FATAL_ERR
	run 0 "$vx" explain 'vendor err 122, status=5'
	like "$output" '^enumerator IBV_WC_WR_FLUSH_ERR$'
	unlike "$output" errno
	run 0 "$vx" explain 'vendor error 0x7a'
	unlike "$output" errno
	run 0 "$vx" explain 'state: PORT_ACTIVE (4)'
	like "$output" '^  value  *: IBV_PORT_ACTIVE (4)$'
	unlike "$output" IBV_QPS_SQD
	run 1 "$vx" explain 'took 12ms, version 1.12, error12'
	run 1 "$vx" explain 'node1: process exited with status 1'
	run 1 "$vx" explain 'it returned -1'
}

# What a newcomer means comes first, a vendor's or the kernel's name for it later and in a line.
case_explain_short_names() {
	local text first term

	while read -r text first; do
		run 0 "$vx" explain "$text"
		[[ $(head -1 <<<"$output") == "$first" ]] || die "$text: $(head -1 <<<"$output"), not $first"
		[[ $(grep -cE '^[a-z_]+ ' <<<"$output") -le 2 ]] || die "$text: too much: $output"
	done <<-'END'
		QP term QP
		qp term QP
		PD term PD
		CQ term CQ
		MR term MR
		RC enumerator IBV_QPT_RC
		UD enumerator IBV_QPT_UD
		INIT enumerator IBV_QPS_INIT
		RTS enumerator IBV_QPS_RTS
		ACTIVE enumerator IBV_PORT_ACTIVE
		SUCCESS enumerator IBV_WC_SUCCESS
		SEND enumerator IBV_WC_SEND
		P_Key term PKEY
		mtu enum ibv_mtu
		connect function rdma_connect
		wc term WC
		sge term SGE
		wc_status enum ibv_wc_status
		PORT_DOWN enumerator IBV_PORT_DOWN
		PORT_ACTIVE enumerator IBV_PORT_ACTIVE
	END
	while read -r term text; do
		run 0 "$vx" explain "$text"
		[[ $output == "term $term"$'\n'* ]] || die "$text: $(head -1 <<<"$output"), not term $term"
	done <<-'END'
		QP queue pair
		CQ Completion Queue
		MR memory region
		SRQ shared receive queue
		COMP_CHANNEL completion channel
		WR work request
		WQ work queue
		RKEY remote key
		IMM immediate data
		SM subnet manager
		ROCEV2 RoCE v2
		SGL scatter list
		RLIMIT_MEMLOCK ulimit -l
		AH address handle
		PD protection domain
		INLINE inline data
		INLINE inline 200
	END
	run 0 "$vx" explain link layer
	like "$output" ibv_link_layer
	run 0 "$vx" explain QP
	like "$output" '^others QP$'
	like "$output" '^  enumerator  MANADV_OBJ_QP'
	run 0 "$vx" explain RC
	like "$output" '^  enumerator  IB_UVERBS_QPT_RC'
	run 0 "$vx" explain lkey
	like "$output" '^  field  ibv_mr.lkey  and of other structures$'
}

# A number that is none of what a field takes
case_explain_out_of_range() {
	local text says

	while IFS=: read -r text says; do
		run 0 "$vx" explain "$text"
		like "$output" "^  value  *: $says\$"
	done <<-'END'
		timeout=99:99 is out of range. 0 to 31
		timeout=-1:-1 is out of range. 0 to 31
		ibv_qp_attr.timeout 99:99 is out of range. 0 to 31
		min_rnr_timer 40:40 is out of range. 0 to 31
		retry_cnt = 8:8 is out of range. 0 to 7
		path_mtu=1024:1024 is none of its values. 3 is 1024 bytes (IBV_MTU_1024)
		active_speed=25:25 is none of its values. 32 is 25.0 Gb/s
		qp_type=99:99 is no value of ibv_qp_type
		port_num=300:300 is out of range. uint8_t has 8 bits
	END
	run 0 "$vx" explain timeout=31
	unlike "$output" 'out of range'
	like "$output" '^  range  *: 0 to 31$'
	run 0 "$vx" explain ibv_qp_cap.max_send_wr
	like "$output" '^  range  *: up to ibv_device_attr.max_qp_wr$'
}

# What the value of a bare word is
case_explain_bare_words() {
	run 0 "$vx" explain status 12
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	like "$output" '^  causes '
	run 0 "$vx" explain status=12
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	run 0 "$vx" explain opcode 1
	like "$output" '^enumerator IBV_WC_RDMA_WRITE$'
	like "$output" '^enumerator IBV_WR_RDMA_WRITE_WITH_IMM$'
	unlike "$output" MLX4
	run 0 "$vx" explain status 110
	like "$output" '^errno ETIMEDOUT$'
	for text in 'rc=-22' 'ret = -22' 'errno: 22' 'EINVAL (22)' '-EINVAL' 'return code 22' 'errno EINVAL'; do
		run 0 "$vx" explain "$text"
		like "$output" '^errno EINVAL$'
	done
	run 0 "$vx" explain vendor_err 0x81
	like "$output" IBV_WC_RETRY_EXC_ERR
	for text in 'wc.status=12' 'wc->status: 12 (transport retry counter exceeded)' 'status: 12 (transport retry counter exceeded)'; do
		run 0 "$vx" explain "$text"
		like "$output" IBV_WC_RETRY_EXC_ERR
		like "$output" "^  causes  *: The peer's QP is gone"
	done
	while read -r text names; do
		run 0 "$vx" explain "${text/-/ }"
		[[ $(sed -n 's/^\(enumerator\|value\) //p' <<<"$output" | paste -sd' ') == "$names" ]] || die "$text: $output"
	done <<-'END'
		access=7 IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ
		access=0xf IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ|IBV_ACCESS_REMOTE_ATOMIC
		opcode-SEND IBV_WC_SEND IBV_WR_SEND
		state-INIT IBV_QPS_INIT IBV_PORT_INIT
		state-RTR IBV_QPS_RTR
	END
	for text in 'wc.status' 'ibv_wc->status' 'wc[i].status' 'wc->status'; do
		run 0 "$vx" explain "$text"
		like "$output" '^field ibv_wc.status$'
	done
	run 0 "$vx" explain 'wc[0].status = 12'
	like "$output" IBV_WC_RETRY_EXC_ERR
	run 0 "$vx" explain 'attr->path_mtu=3'
	like "$output" '1024 bytes (3)'
}

# Which attributes a change of a QP's state needs
case_explain_transitions() {
	local text

	for text in 'RESET -> INIT' 'reset->init' 'IBV_QPS_RESET -> IBV_QPS_INIT' 'from RESET to INIT'; do
		run 0 "$vx" explain "$text"
		like "$output" '^transition RESET -> INIT$'
		like "$output" '^  RC UC XRC_SEND XRC_RECV *IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_ACCESS_FLAGS'
	done
	run 0 "$vx" explain 'RESET -> RTS'
	like "$output" 'no such transition.*: INIT, RESET\.$'
	run 1 "$vx" explain 'RESET -> WORK'
}

# What libverbsx itself has
case_explain_own() {
	run 0 "$vx" explain vx_wc_error
	like "$output" '^function vx_wc_error$'
	like "$output" '^  declared  *: size_t vx_wc_error(char \*buf'
	like "$output" '^  header  *: verbsx/wc_error.h$'
	run 0 "$vx" explain vx_qp_create
	like "$output" '^function vx_qp_create$'
	like "$output" '^function ibv_create_qp_ex$'
	run 0 "$vx" explain vx_qp_init
	like "$output" '^struct vx_qp_init$'
	like "$output" 'what is hashed, and by which key'
	run 0 "$vx" explain vx_qp_init.cap
	like "$output" '^field vx_qp_init.cap$'
	like "$output" ': sizes of the queues'
	run 0 "$vx" explain VX_AUTO
	like "$output" '^macro VX_AUTO$'
	run 0 "$vx" explain VX_STRUCT
	run 0 "$vx" explain VX_MR_HUGE
	like "$output" '^enumerator VX_MR_HUGE$'
	run 0 "$vx" explain vx_close
	like "$output" '^  ibv_destroy_qp '
	unlike "$output" ibv_ack_cq_events
	run 0 "$vx" explain VERBSX_HAVE_VX_QP_CREATE
	like "$output" '^macro VERBSX_HAVE_VX_QP_CREATE$'
	like "$output" 'vx_qp_create()'
	run 0 "$vx" explain rdma_connect
	like "$output" '^  wrapped  *: not wrapped yet: call it as it is; vx_qp_borrow(id->qp)'
}

# Each variable that the library and the command read
case_explain_variables() {
	local name root

	root=$(dirname "$sources")/..
	grep -rhoE 'getenv\("[A-Z_]+"' "$root/runtime/src" "$sources" | cut -d'"' -f2 | sort -u >"$work/variables"
	"$vx" api --names | grep -E '^VERBSX_[A-Z0-9]+_LIB$' >>"$work/variables"
	(($(wc -l <"$work/variables") > 8)) || die "too few variables"
	while read -r name; do
		[[ $name == COLUMNS || $name == NO_COLOR || $name == TERM || $name == LD_PRELOAD ]] && continue
		run 0 "$vx" explain "$name"
		like "$output" "^variable $name\$"
	done <"$work/variables"
}

case_explain_number() {
	run 0 "$vx" explain 12
	like "$output" '^  errno  *ENOMEM '
	like "$output" '^  ibv_wc_status  *IBV_WC_RETRY_EXC_ERR '
	like "$output" '^  ibv_event_type  *IBV_EVENT_PKEY_CHANGE '
	unlike "$output" ibv_access_flags
	run 0 "$vx" explain 0x6
	like "$output" '^  ibv_access_flags  *IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ$'
}

case_explain_negative() {
	run 0 "$vx" explain -22
	like "$output" '^  errno  *EINVAL '
	run 0 "$vx" explain -5 --json
	like "$output" EIO
	run 0 "$vx" explain -- -22
	like "$output" EINVAL
}

# Whatever completion offers, explain knows
case_explain_every_name() {
	local name

	"$vx" api --names | sort -u | awk 'NR % 13 == 0' >"$work/names"
	(($(wc -l <"$work/names") > 100)) || die "too few names"
	while read -r name; do
		run 0 "$vx" explain "$name"
		like "$output" "^[a-z]* $name\$"
	done <"$work/names"
}

"case_$1"
