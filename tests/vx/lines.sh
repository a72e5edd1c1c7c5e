#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: lines.sh CASE VX GOLDEN-FOLDER
#
# One ctest case of the vx tool: explain, what logs and messages say.
set -euo pipefail

# shellcheck source=tests/vx/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

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

# A program's output through a pipe: all of it, in order, with what it means below.
case_explain_stream() {
	local line

	run 0 bash -c 'printf "begins\r\n\nclient: Failed status 12: wr_id 0\ntimeout 14\nends" | "$1" explain -' - "$vx"
	for line in begins '' 'client: Failed status 12: wr_id 0' '  enumerator IBV_WC_RETRY_EXC_ERR' 'timeout 14' '  field ibv_qp_attr.timeout' ends; do
		like "$output" "^$line\$"
	done
	[[ $(grep -n -e '^  enumerator' -e '^timeout 14' <<<"$output" | sed 's/.*://') == *$'\n'timeout* ]] || die "not in order: $output"
	[[ -z $errors ]] || die "said beside: $errors"
	printf 'abc\0Failed status 12: wr_id 0\n10%%\r20%%\rtimeout 14\r\n' | "$vx" explain - >"$work/output" || die "not understood"
	[[ $(tr '\0' @ <"$work/output" | sed -n 1p) == 'abc@Failed status 12: wr_id 0' ]] || die "cut: $(tr '\0' @ <"$work/output")"
	like "$(tr '\0' @ <"$work/output")" '^  enumerator IBV_WC_RETRY_EXC_ERR$'
	like "$(tr '\0' @ <"$work/output")" $'^10%\r20%\rtimeout 14$'
	run 0 bash -c 'printf "begins\n\ntimeout 14\n" | "$1" explain - --json' - "$vx"
	[[ $(wc -l <<<"$output") == 2 ]] || die "not a line for each of two lines: $output"
	like "$output" '^{"text": "begins", "matches": \[\]}$'
	like "$output" '^{"text": "timeout 14", "matches": \[{"kind": "field", "name": "ibv_qp_attr.timeout", .*}\]}$'
	run 0 bash -c 'printf "12\n" | "$1" explain --enum ibv_wc_status -' - "$vx"
	like "$output" '^  enumerator IBV_WC_RETRY_EXC_ERR$'
	run 1 bash -c 'echo nothing | "$1" explain -' - "$vx"
	[[ $output == nothing ]] || die "not as it was: $output"
	run 2 bash -c '"$1" explain - </' - "$vx"
	like "$errors" 'standard input cannot be read: Is a directory$'
	run 1 bash -c 'echo 12 | "$1" explain --enum nothing -' - "$vx"
	like "$errors" 'there is no enum "nothing"'
}

# Logs say the same again and again: an answer is given once, and where it comes again it is named.
case_explain_repeated() {
	local count

	for ((count = 0; count < 3000; count++)); do
		echo "[$((count / 2)).5] UCX ERROR Remote access on mlx5_0:1/RoCE (synd 0x13 vend 0x88 hw_synd 0/0)"
		echo 'junk line nothing'
	done | "$vx" explain - >"$work/output"
	output=$(<"$work/output")
	[[ $(grep -c '^  enumerator IBV_WC_REM_ACCESS_ERR$' "$work/output") == 1 ]] || die "not once: $(head -40 "$work/output")"
	[[ $(grep -c '^  as above: enumerator IBV_WC_REM_ACCESS_ERR; ' "$work/output") == 2999 ]] || die "not named: $(head -40 "$work/output")"
	[[ $(grep -c '^junk line nothing$' "$work/output") == 3000 ]] || die "lines are gone: $(head -40 "$work/output")"
	run 0 bash -c 'printf "Failed status %d: wr_id 0\n" 12 5 13 12 | "$1" explain -' - "$vx"
	[[ $(sed -n 's/^  \(as above: \)*enumerator //p' <<<"$output" | paste -sd' ') == \
		'IBV_WC_RETRY_EXC_ERR IBV_WC_WR_FLUSH_ERR IBV_WC_RNR_RETRY_EXC_ERR IBV_WC_RETRY_EXC_ERR' ]] || die "numbers are mixed up: $output"
	run 0 bash -c 'printf "timeout 14\ntimeout 14\n" | "$1" explain - --json' - "$vx"
	[[ $(grep -c '"name": "ibv_qp_attr.timeout"' <<<"$output") == 2 ]] || die "JSON is left out: $output"
}

# Without what nobody wants of a log
case_explain_brief() {
	run 0 "$vx" explain --brief IBV_WC_RETRY_EXC_ERR
	[[ $(sed -nE 's/^  ([a-z_]+) +: .*/\1/p' <<<"$output" | xargs) == 'value says causes remedy' ]] || die "not brief: $output"
	run 0 "$vx" explain -b 'ibv_create_qp: Cannot allocate memory'
	like "$output" '^function ibv_create_qp$'
	like "$output" '^  remedy '
	unlike "$output" '^  \(since\|page\|wrapped\|version\) '
	run 0 "$vx" explain -b NCCL_IB_TIMEOUT=22
	like "$output" '^  value *: 17.2 s (22)$'
	unlike "$output" '^  \(offset\|size\|type\) '
	run 0 "$vx" explain -b QP
	unlike "$output" '^others '
	run 0 bash -c 'echo timeout 14 | "$1" explain -b -' - "$vx"
	unlike "$output" offset
	run 0 "$vx" explain --brief --json timeout 14
	like "$output" '"offset":'
}

# An attribute with its value, in each form that is in use, and by what the value is.
case_explain_attributes() {
	local text

	for text in 'active_width 2' 'active_width=2' 'active_width: 2' 'active_width : 4X (2)'; do
		run 0 "$vx" explain "$text"
		like "$output" '^field ibv_port_attr.active_width$'
		like "$output" '^  value  *: 4X (2)$'
	done
	run 0 "$vx" explain ibv_path_record.mtu 0x84
	like "$output" '^  value  *: 2048 (0x84)$'
	run 0 "$vx" explain ibv_path_record.rate 0x03
	like "$output" '^  value  *: more than 10.0 Gb/s (0x3)$'
	run 0 "$vx" explain ibv_path_record.rate 0xc3
	like "$output" '^  value  *: the highest there is (0xc3)$'
	run 0 "$vx" explain ibv_path_record.packetlifetime 147
	like "$output" '^  value  *: 2.15 s (0x93)$'
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
	like "$output" '^  value  *: wide (not understood)$'
	run 1 "$vx" explain =2
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
		path_mtu=1500:1500 is none of its values. 1 is 256 bytes, 2 is 512 bytes, 3 is 1024 bytes, 4 is 2048 bytes, 5 is 4096 bytes
		active_speed=25:25 is none of its values. 32 is 25.0 Gb/s
		qp_type=99:99 is no value of ibv_qp_type
		port_num=300:300 is out of range. uint8_t has 8 bits
		cqe=-1:-1
		num_sge=-1:-1
		fd=-1:-1
		ibv_qp_cap.max_send_wr -1:-1 is out of range. uint32_t is never below 0
	END
	run 0 "$vx" explain timeout=31
	unlike "$output" 'out of range'
	like "$output" '^  range  *: 0 to 31$'
	run 0 "$vx" explain ibv_qp_cap.max_send_wr
	like "$output" '^  range  *: up to ibv_device_attr.max_qp_wr$'
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
	like "$output" 'No type of QP has this transition.*: INIT, RESET\.$'
	run 1 "$vx" explain 'RESET -> WORK'
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
	run 0 "$vx" explain 'vx_cq_poll on mlx5_0 cq 3: Resource deadlock avoided'
	like "$output" '^  causes  *: A loop of vx_cq_start_poll()'
	run 0 "$vx" explain 'RDMA_CM_EVENT_REJECTED, status 8'
	like "$output" 'on iWARP the backlog'
	run 0 "$vx" explain 'RDMA_CM_EVENT_UNREACHABLE, error -110'
	like "$output" 'on InfiniBand and RoCE the backlog'
	run 0 "$vx" explain 'ibv_create_cq failed'
	like "$output" '^  errors  *: ENOMEM: RLIMIT_MEMLOCK is smaller than what must be pinned; EINVAL: a size above'
	run 0 "$vx" explain 'ibv_post_recv failed'
	like "$output" '^  errors  *: ENOMEM: the queue is full.*; ENOMEM: the QP has an SRQ$'
	run 0 "$vx" explain 'ibv_create_qp_ex failed'
	unlike "$output" '^  errors'
	run 0 "$vx" explain 'qp_fatal, RETRY_EXC_ERR'
	unlike "$output" IBV_EVENT_QP_FATAL
	run 1 "$vx" explain 'nothing here: that_is known'
}

# As NCCL, UCX, perftest, libfabric, Open MPI, SPDK, the kernel, loaders and compilers write them
case_explain_foreign_lines() {
	local wanted line said headings count=0

	while IFS=$'\t' read -r wanted line; do
		[[ $wanted == '#'* ]] && continue
		run 0 "$vx" explain -- "$line"
		headings=''
		while IFS= read -r said; do
			[[ ! $said =~ ^[a-z_]+\  ]] || headings+="${headings:+; }$said"
		done <<<"$output"
		[[ "$headings$" == "$wanted"* ]] || die "$line: $headings, not $wanted"
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

# What is said of each line that comes in, as one line: the text without blanks around it, and the names of all that it is.
said_of_each() {
	"$vx" explain - --json | sed -E 's/"others": \[[^]]*\]//g' | awk '
		{
			names = ""
			rest = $0
			while (match(rest, /"kind": "[^"]*", "name": "[^"]*"/)) {
				name = substr(rest, RSTART, RLENGTH)
				gsub(/"(kind|name)": /, "", name)
				names = names " " name ","
				rest = substr(rest, RSTART + RLENGTH)
			}
			sub(/^{"text": "( |\\u0009)*/, "")
			sub(/", "matches": .*/, "")
			print $0 "\"," names
		}'
}

# How a line is set in says nothing of what it means.
case_explain_indented() {
	local indent

	cut -f2 "$(dirname "$golden")/lines.txt" | grep -v '^#' >"$work/lines"
	emulated "$vx" devinfo -v | sed -E 's/^ +//' >>"$work/lines"
	said_of_each <"$work/lines" >"$work/said"
	for indent in '    ' '\t\t\t'; do
		sed "s/^/$indent/" "$work/lines" | said_of_each >"$work/said_indented"
		diff -u "$work/said" "$work/said_indented" || die "otherwise where lines are set in by '$indent'"
	done
	run 0 "$vx" explain '    status: IBV_WC_RETRY_EXC_ERR (12)'
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
	run 0 "$vx" explain "$(printf '\tIBV_EVENT_QP_FATAL')"
	like "$output" '^enumerator IBV_EVENT_QP_FATAL$'
	run 1 "$vx" explain '    no_such_field_x: 12'
	run 1 "$vx" explain ' FOO (1)'
	run 1 "$vx" explain '  '
}

# A field that is printed with its name is no field of another.
case_explain_printed_fields() {
	local count

	emulated "$vx" devinfo -v | grep -E '^ *[a-z_0-9]+ +: ' | said_of_each >"$work/said"
	awk '
		match($0, /^[a-z_0-9]+/) {
			own = substr($0, 1, RLENGTH)
			for (i = 2; i < NF; i++)
				if ($i == "\"field\"," && $(i + 1) !~ "[._\"]" own "\",?$") { print; wrong++ }
			if (NF > 3) told++
		}
		END { exit wrong || told < 100 }' "$work/said" >"$work/wrong" || die "of another name: $(<"$work/wrong")"
}

# As ibv_devinfo prints: tabs, and words of rdma-core's own tools
case_explain_tabs() {
	local line first

	while IFS='|' read -r line first; do
		run 0 "$vx" explain "$(printf '%b' "$line")"
		[[ $(head -1 <<<"$output") == "$first" ]] || die "$line: $(head -1 <<<"$output"), not $first"
		unlike "$output" IBV_EVENT
	done <<-'END'
		\t\t\tstate:\t\t\tPORT_ACTIVE (4)|field ibv_port_attr.state
		\t\t\tstate:\t\t\tPORT_DOWN (1)|field ibv_port_attr.state
		\tnode_guid:\t\t\t0200:00ff:fe00:0000|field ibv_device_attr.node_guid
		\tmax_qp:\t\t\t\t16384|field ibv_device_attr.max_qp
		\t\t\tlink_layer:\t\tEthernet|enumerator IBV_LINK_LAYER_ETHERNET
		\t\t\tport_lid:\t\t0|field ibv_port_attr.lid
		\ttransport:\t\t\tInfiniBand (0)|enumerator IBV_TRANSPORT_IB
		port 1 state: PORT_ACTIVE (4)|enumerator IBV_PORT_ACTIVE
		port 1 state: PORT_DOWN (1)|enumerator IBV_PORT_DOWN
		mlx5_0 state PORT_ACTIVE|enumerator IBV_PORT_ACTIVE
	END
}

"case_$1"
