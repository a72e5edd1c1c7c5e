#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: explain.sh CASE VX GOLDEN-FOLDER
#
# One ctest case of the vx tool: explain, names and values. With UPDATE=1 golden files are written anew.
set -euo pipefail

# shellcheck source=tests/vx/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

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
	run 1 "$vx" explain mlx5_0
	like "$errors" '^vx explain: nothing is known of "mlx5_0", which looks like the name of a device: try vx devinfo mlx5_0$'
	run 1 "$vx" explain fe80::1
	like "$errors" '^vx explain: nothing is known of "fe80::1", which looks like an address or a GID: try vx ports fe80::1$'
	run 1 "$vx" explain 0002:c903:00a1:b2c4
	like "$errors" 'which looks like a GUID: try vx ports 0002:c903:00a1:b2c4$'
	run 1 "$vx" explain 192.0.2.1
	like "$errors" 'which looks like an address or a GID: try vx ports 192.0.2.1$'
	run 1 "$vx" explain IBV_WC_RETRY_EXC_ER
	nothing "$output"
	like "$errors" '^vx explain: nothing is known of "IBV_WC_RETRY_EXC_ER"; closest: IBV_WC_RETRY_EXC_ERR'
	run 1 "$vx" explain IBV_WC_RNR_RETRY_EXC_ERR foo
	like "$output" '^enumerator IBV_WC_RNR_RETRY_EXC_ERR$'
	like "$errors" '^vx explain: nothing is known of "foo"'
	run 0 "$vx" explain IBV_WC_RNR_RETRY_EXC_ERR ENOMEM
	like "$output" '^enumerator IBV_WC_RNR_RETRY_EXC_ERR$'
	[[ $(grep -c '^errno ENOMEM$' <<<"$output") == 1 ]] || die "not once: $output"
	run 1 "$vx" explain 'IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_REED'
	like "$output" '^enumerator IBV_ACCESS_LOCAL_WRITE$'
	like "$errors" '^vx explain: nothing is known of "IBV_ACCESS_REMOTE_REED"; closest: IBV_ACCESS_REMOTE_READ'
	run 1 "$vx" explain 'IBV_ACCESS_LOCAL_WRITE|BOGUS'
	like "$errors" '^vx explain: nothing is known of "BOGUS"'
	run 0 "$vx" explain 'IBV_ACCESS_LOCAL_WRITE | REMOTE_READ'
	like "$output" '^value IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_READ$'
	run 1 "$vx" explain qqqqzzzz
	like "$errors" '^vx explain: nothing is known of "qqqqzzzz"$'
	run 1 "$vx" explain ''
	run 1 "$vx" explain ibv_wc_status 99
	like "$errors" '^vx explain: ibv_wc_status has no value 99$'
	run 1 "$vx" explain 12 --enum ibv_wc_statu
	like "$errors" '^vx explain: there is no enum "ibv_wc_statu"; closest: ibv_wc_status'
	unlike "$errors" 'ibv_wc_status_str'
	run 1 "$vx" explain 12 --enum foo
	like "$errors" '^vx explain: there is no enum "foo"'
	run 1 "$vx" explain ibv_wc_status IBV_WC_SUCESS
	like "$errors" 'did you mean IBV_WC_SUCCESS?'
	unlike "$errors" vx_enum_parse
	for text in 'ibv_access_flags IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_FOO' 'ibv_access_flags IBV_ACCESS_LOCAL_WRITE | FOO'; do
		run 1 "$vx" explain "$text"
		nothing "$output"
		like "$errors" '^vx explain: ibv_access_flags: .*FOO" at column [0-9]* is no name of this enum'
	done
	run 1 "$vx" explain 'ibv_wc_opcode IBV_WC_RECV|IBV_WC_FOO'
	nothing "$output"
	run 0 "$vx" explain 'ibv_wc_status is 12: transport retry counter exceeded'
	like "$output" '^enumerator IBV_WC_RETRY_EXC_ERR$'
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

# A value that nothing is known of is no reason to say nothing of it
case_explain_unknown_values() {
	local text

	for text in qp_state=FOO 'ibv_qp_attr.qp_state: FOO' 'attr->qp_state = FOO'; do
		run 0 "$vx" explain "$text"
		like "$output" '^field ibv_qp_attr.qp_state$'
		like "$output" '^  value  *: FOO is unknown: no value of ibv_qp_state$'
	done
	run 0 "$vx" explain pkey_index=seven
	like "$output" '^  value  *: seven (not understood)$'
	run 0 "$vx" explain VERBSX_TRACE=2
	like "$output" '^variable VERBSX_TRACE$'
	like "$output" '^  value *: 2$'
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
	run 0 "$vx" explain VX_MLX5_CMD_ALLOC_PD
	like "$output" '0x800: the opcode of the command ALLOC_PD'
	run 0 "$vx" explain VERBSX_HAVE_VX_QP_CREATE
	like "$output" '^macro VERBSX_HAVE_VX_QP_CREATE$'
	like "$output" 'vx_qp_create()'
	run 0 "$vx" explain rdma_connect
	like "$output" '^  wrapped  *: vx_cm_id_connect()$'
	run 0 "$vx" explain efadv_query_ah
	like "$output" '^  wrapped  *: vx_efa_ah_query()'
}

# As the messages of libverbsx and its headers name things.
case_explain_own_words() {
	run 0 "$vx" explain cap.max_recv_wr
	like "$output" 'ibv_qp_cap.max_recv_wr'
	run 0 "$vx" explain 'ah_attr.grh.sgid_index = 200'
	like "$output" 'ibv_global_route.sgid_index'
	run 0 "$vx" explain cap.max_recv_wr=2147483648
	like "$output" '^macro VX_NONE$'
	run 0 "$vx" explain 'vx_qp_create: Argument list too long'
	like "$output" '^  remedy  *: Update libverbsx'
	run 0 "$vx" explain 'struct vx_qp'
	like "$output" '^  says  *: Handle: QP. vx_qp_create() makes one'
	run 0 "$vx" explain RNR
	like "$output" '^  says  *: Receiver not ready'
	run 0 "$vx" explain UAR
	like "$output" '^  says  *: User access region'
	run 0 "$vx" explain UMEM
	like "$output" '^  says  *: User memory of DEVX'
	run 0 "$vx" explain MAD
	like "$output" '^  says  *: Management datagram'
	run 0 "$vx" explain VERBSX_CHECKS
	for name in vx_ctx vx_mcast VX_JSON VX_FOLLOW VX_OBJECT_PARENT_DOMAIN; do
		run 0 "$vx" explain "$name"
		like "$output" '^  says  *: ...'
	done
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

# Of libraries beside, with what their values are in ours
case_explain_foreign_variables() {
	local text name value

	while IFS='|' read -r text name value; do
		run 0 "$vx" explain "$text"
		[[ $(head -1 <<<"$output") == "variable $name" ]] || die "$text: $output"
		like "$output" "^  value  *: $value\$"
		like "$output" '^  says  *: Of '
	done <<-'END'
		NCCL_IB_TIMEOUT=22|NCCL_IB_TIMEOUT|17.2 s (22)
		NCCL_IB_RETRY_CNT=9|NCCL_IB_RETRY_CNT|9 is out of range: 0 to 7
		export NCCL_IB_GID_INDEX=3|NCCL_IB_GID_INDEX|3
		NCCL_IB_HCA==mlx5_0:1,mlx5_1|NCCL_IB_HCA|=mlx5_0:1,mlx5_1
		UCX_NET_DEVICES=mlx5_0:1|UCX_NET_DEVICES|mlx5_0:1
		UCX_RC_RETRY_COUNT=7|UCX_RC_RETRY_COUNT|7
		MLX5_SINGLE_THREADED=1|MLX5_SINGLE_THREADED|1
		RDMAV_FORK_SAFE=1|RDMAV_FORK_SAFE|1
		NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.|NCCL_IB_TIMEOUT|17.2 s (22)
	END
	run 0 "$vx" explain 'NCCL_IB_GID_INDEX=3 UCX_TLS=rc ./all_reduce_perf'
	like "$output" '^variable NCCL_IB_GID_INDEX$'
	like "$output" '^variable UCX_TLS$'
	unlike "$output" all_reduce
	# What a remedy tells to set is known.
	grep -ohE '\b(NCCL|UCX|MLX5|RDMAV|VERBS)_[A-Z_]*[A-Z]\b' "$sources"/../../gen/lore/{lines,meanings,events,counters}.toml | sort -u >"$work/names"
	(($(wc -l <"$work/names") > 3)) || die "too few: $(<"$work/names")"
	while read -r name; do
		run 0 "$vx" explain "$name"
	done <"$work/names"
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
		qp_create function vx_qp_create
		PD_create function vx_pd_create
		mr_create function vx_mr_create
		poller struct vx_poller
		create_qp function ibv_create_qp
	END
	run 0 "$vx" explain 'LID 49152'
	like "$output" 'From 49152 (0xc000) to 65534 it is that of a multicast group'
	run 0 "$vx" explain pkey=0x7fff
	like "$output" '0xffff is a full member of the default partition, 0x7fff a limited one'
	run 0 "$vx" explain qp_create
	like "$output" '^function ibv_create_qp_ex$'
	while read -r term text; do
		run 0 "$vx" explain "$text"
		[[ $output == "term $term"$'\n'* ]] || die "$text: $(head -1 <<<"$output"), not term $term"
	done <<-'END'
		QP queue pair
		CQ Completion Queue
		MR memory region
		SRD SRD
		SRD scalable reliable datagram
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
	run 0 "$vx" explain 0x81
	[[ $(awk 'NR == 3 { print $1 }' <<<"$output") == vendor_err ]] || die "not first: $output"
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
	local name line_end=$'\n'

	"$vx" api --names | sort -u | awk 'NR % 13 == 0' >"$work/names"
	(($(wc -l <"$work/names") > 100)) || die "too few names"
	while read -r name; do
		run 0 "$vx" explain "$name"
		[[ $line_end$output$line_end =~ $line_end[a-z]+" $name"$line_end ]] || die "no $name in: $output"
	done <"$work/names"
}

"case_$1"
