#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What goes wrong on demand, what is told of it, and the tap.
# shellcheck disable=SC2154 # check.sh, which sources this, has the variables

case_fail() {
	local output

	need ibv_devinfo ibverbs-utils
	output=$(emulated VERBSX_EMU_FAULT=query_port#2:EIO ibv_devinfo || true)
	expect 'Failed to query port 1' "$output"
	expect 'PORT_ACTIVE' "$(emulated VERBSX_EMU_FAULT=get_context:EIO ibv_devinfo)"
	output=$(emulated VERBSX_EMU_FAULT=get_context#1-:EIO ibv_devinfo || true)
	expect '^Failed to open device$' "$output"
	output=$(emulated VERBSX_EMU_FAULT=lid:9,query_prot:EIO ibv_devices) && die "a mistake is no matter"
	expect 'VERBSX_EMU_FAULT: column 7: no such call' "$output"
	printf 'lid:9\nnonsense\n' >"$TMPDIR/faults"
	output=$(emulated VERBSX_EMU_FAULT="$TMPDIR/faults" ibv_devices) && die "a mistake in a file is no matter"
	expect "faults:2: column 1: no such call.*nonsense" "$output"
	rm "$TMPDIR/faults"
	output=$(emulated VERBSX_EMU_FAULT=create_qp#2:ENOMEM,query_port#1-9:EIO,SM_CHANGE@99999 ibv_devinfo || true)
	expect 'the fault create_qp#2:ENOMEM never happened' "$output"
	expect 'the fault SM_CHANGE@99999 never happened' "$output"
	! grep 'query_port.* never' <<<"$output" || die "it did happen"
	output=$(emulated VERBSX_EMU_FAULT=query_port:EIO,query_port:ENOMEM ibv_devinfo || true)
	expect 'the fault query_port:EIO never happened' "$output"
	expect 'the fault query_port:ENOMEM happened at call ' "$output"
	output=$(emulated VERBSX_EMU_CONFIG=ports=2 VERBSX_EMU_FAULT=port_down:2,lid:2=77 ibv_devinfo)
	expect 'PORT_DOWN' "$output"
	expect 'port_lid:.*77' "$output"
	output=$(emulated VERBSX_EMU_FAULT=REM_OP_ERR:1 "$program" --filter "*/a_send_completes_at_both_ends" || true)
	expect 'status remote operation error' "$output"
}

# Where it is wanted so, what the device complains of makes a failure of a success: ends_strictly STATUS [NAME=VALUE...] COMMAND...
ends_strictly() {
	local expected=$1 output status=0

	shift
	output=$(emulated VERBSX_EMU_STRICT=1 "$@") || status=$?
	((status == expected)) || die "$* ends with $status, not with $expected: $output"
}

case_strict() {
	local -r leave='import ctypes, os
verbs = ctypes.CDLL("libibverbs.so.1")
verbs.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
verbs.ibv_open_device(ctypes.c_void_p(verbs.ibv_get_device_list(None)[0]))'

	ends_strictly 0 VERBSX_EMU_LEAKS=1 VERBSX_EMU_TRACE=1 VERBSX_EMU_FAULT=query_port:EIO ibv_devinfo
	ends_strictly 3 VERBSX_EMU_FAULT=create_qp:EIO ibv_devinfo
	ends_strictly 3 VERBSX_EMU_FAULT=SM_CHANGE@99999 ibv_devinfo
	ends_strictly 3 VERBSX_EMU_FABRIC=a/b ibv_devinfo
	ends_strictly 3 VERBSX_EMU_FABRIC=a/b "$python" -c "$leave"'; os._exit(0)'
	ends_strictly 0 "$python" -c "$leave"
	ends_strictly 3 VERBSX_EMU_LEAKS=1 "$python" -c "$leave"
	ends_strictly 7 VERBSX_EMU_LEAKS=1 "$python" -c "$leave"'; raise SystemExit(7)'
	ends_strictly 0 VERBSX_EMU_STRICT=0 VERBSX_EMU_LEAKS=1 "$python" -c "$leave"
	# What was written before is not lost
	expect "^written\$" "$(emulated VERBSX_EMU_STRICT=1 VERBSX_EMU_LEAKS=1 "$python" -c "$leave"'; ctypes.CDLL(None).puts(b"written")')"
}

# What is said of a mistake, upon which nothing is run: mistaken VARIABLE VALUE MESSAGE
mistaken() {
	local output status=0

	output=$(emulated "VERBSX_EMU_$1=$2" ibv_devices) || status=$?
	((status == 2)) || die "$1=$2 ends with $status"
	[[ $output == "verbsx-emu: $3" ]] || die "$1=$2 is told of as '$output', not as '$3'"
}

# Nobody knows all names: a mistake tells of the one that was likely meant, or which there are
case_mistakes() {
	local -r config='VERBSX_EMU_CONFIG:' fault='VERBSX_EMU_FAULT: column 1: no such call, event, status or fault:' file=$TMPDIR/config

	mistaken CONFIG max_qps=3 "$config there is no setting 'max_qps': did you mean max_qp?"
	mistaken CONFIG nonsense=3 "$config there is no setting 'nonsense'. There are device node_guid devices ports port$(
		) link_layer state mtu lid sm_lid grh_required gid ipv4 max_qp max_qp_wr max_sge max_inline_data max_msg_sz max_cq max_cqe$(
		) comp_vectors max_mr max_mw max_pd max_dm_size max_srq max_srq_wr max_srq_sge max_rd_atom max_mcast_grp atomic mmo$(
		) mw odp xrc dc dci_streams signature tag_matching crypto open_qp lag one_host"
	mistaken CONFIG max_qp "$config max_qp wants a value after an =: a number from 1 to 16384"
	mistaken CONFIG mtu=512,ipv4 "$config ipv4 wants a value after an =: an IPv4 address"
	mistaken CONFIG mtu=1500 "$config mtu: '1500' is not one of 256 512 1024 2048 4096"
	mistaken CONFIG ethernet "cannot read the configuration 'ethernet': No such file or directory; a setting is key=value"
	mistaken CONFIG ipv4=10.0.0.1,ipv4=10.0.0.2,ipv4=10.0.0.3,ipv4=10.0.0.4 "$config ipv4: '10.0.0.4' is not one of the three that there may be"
	mistaken CONFIG / "cannot read the configuration '/': Is a directory"
	mistaken CONFIG "$file" "cannot read the configuration '$file': No such file or directory"
	printf 'link_layer = ethernet, mtu = 512 # both\n\nmax_qp = 7, 8\n' >"$file"
	mistaken CONFIG "$file" "$file:3: '8' is not key=value"
	rm "$file"
	mistaken FAULT query_prot:EIO "$fault 'query_prot': did you mean query_port?"
	mistaken FAULT cm_conect:EIO "$fault 'cm_conect': did you mean cm_connect?"
	mistaken FAULT ibv_query_prot:EIO "$fault 'ibv_query_prot': did you mean query_port?"
	mistaken FAULT rdma_conect:EIO "$fault 'rdma_conect': did you mean cm_connect?"
	mistaken FAULT recv_LOC_PROT "$fault 'recv_LOC_PROT': did you mean LOC_PROT_ERR?"
	mistaken FAULT IBV_EVENT_QP_FATEL "$fault 'IBV_EVENT_QP_FATEL': did you mean QP_FATAL?"
	mistaken FAULT nonsense "$fault 'nonsense': there are call drop drop_answer delay corrupt port_down port_up port_flap devx_event$(
		) lid speed cm_drop cm_delay cm_reject mad_drop mad_delay device_removal addr_change and calls such as create_qp,$(
		) events such as SM_CHANGE, statuses such as RETRY_EXC_ERR"
	mistaken FAULT create_qp:ENOMEN "VERBSX_EMU_FAULT: column 11: no such errno: 'ENOMEN': did you mean ENOMEM?"
	mistaken FAULT mad_drop:PathRec "VERBSX_EMU_FAULT: column 10: no attribute of MADs: 'PathRec': did you mean PathRecord?"
	mistaken FAULT / "cannot follow the faults in '/': Is a directory"
	expect mlx5_0 "$(emulated VERBSX_EMU_FAULT="$TMPDIR/later" ibv_devices)"
}

# ibv_asyncwatch in the background: start_watch [NAME=VALUE...], hears EVENT..., stop_watch
start_watch() {
	need ibv_asyncwatch ibverbs-utils
	LD_PRELOAD="$library" timeout 60 env "$@" ibv_asyncwatch >"$TMPDIR/watched" 2>&1 &
	watcher=$!
}

hears() {
	until grep -q "$1" "$TMPDIR/watched"; do
		kill -0 "$watcher" || die "no '$1' in: $(cat "$TMPDIR/watched")"
		sleep 0.05
	done
}

stop_watch() {
	kill "$watcher"
	wait "$watcher" || true
	rm "$TMPDIR/watched"
}

case_async() {
	start_watch VERBSX_EMU_FAULT=SM_CHANGE
	hears IBV_EVENT_SM_CHANGE
	stop_watch
}

# A file of events, to which one is added later
case_follow() {
	local events=$TMPDIR/events

	echo SM_CHANGE >"$events"
	start_watch VERBSX_EMU_FAULT="$events"
	hears IBV_EVENT_SM_CHANGE
	echo LID_CHANGE >>"$events"
	hears IBV_EVENT_LID_CHANGE
	stop_watch
	rm "$events"
}

# Three lines over the socket, each answered; the socket goes with the process
case_control() {
	local answers

	start_watch VERBSX_EMU_CONTROL="$TMPDIR/%p"
	answers=$("$python" - "$TMPDIR" <<-'END'
		import glob, socket, sys, time
		while not (found := glob.glob(f"{sys.argv[1]}/[0-9]*")):
		    time.sleep(0.01)
		with socket.socket(socket.AF_UNIX) as s:
		    s.connect(found[0])
		    s.sendall(b"clear\nnonsense\nSM_CHANGE\n")
		    lines = s.makefile()
		    print("; ".join(lines.readline().rstrip() for _ in range(3)))
	END
	)
	expect "^ok; column 1: no such .* 'nonsense': there are .* RETRY_EXC_ERR; ok\$" "$answers"
	hears IBV_EVENT_SM_CHANGE
	stop_watch
}

# Tests in which nothing depends on time
readonly tapped=(a_send_completes_at_both_ends a_read_sees_the_write_before_it
	fetch_and_add_returns_the_old_value memcpy_copies a_datagram_leaves_room_for_the_grh
	a_wrong_qkey_is_silently_lost who_is_in_no_group_gets_nothing_of_it a_dct_wants_the_right_key a_list_scatters
	an_invalidated_mkey_is_refused a_window_opens_and_closes
	without_a_receiver_the_retries_run_out a_wrong_rkey_breaks_both_ends
	a_lost_packet_is_sent_again a_lost_answer_does_nothing_twice
	a_corrupt_packet_has_one_wrong_bit a_gap_is_noticed_before_the_time_is_over
	a_read_goes_on_where_its_response_broke_off over_uc_a_gap_loses_the_rest_of_the_message
	atomics_find_the_page_too
	a_wrong_qkey_is_counted_by_the_port a_wrong_pkey_is_counted_by_the_port
	nobody_answers_for_a_qp_that_is_not_there
	a_psn_too_high_is_never_answered a_psn_too_low_is_acknowledged_and_thrown_away
	a_directed_route_leads_to_the_switch_and_back_to_the_port)

# The manual has a row for each reason that a packet is dropped for
all_reasons_are_told() {
	local reason reasons

	reasons=$(grep -ohE '"(: )?(that|no|over) [^"]* [^"]*"' "$here"/src/{packets/{responder,datagram},faults/tap}.c |
		tr -d '"' | sed 's/^: //; s/%d/N/' | sort -u)
	[ "$(wc -l <<<"$reasons")" = 12 ] || die "other reasons than twelve: $reasons"
	while read -r reason; do
		grep -q "^| $reason |" "$here/README.md" || die "README.md has no row for: $reason"
	done <<<"$reasons"
}

case_tap() {
	local tap=$TMPDIR/tap one

	all_reasons_are_told
	echo '# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB' >"$tap"
	for one in "${tapped[@]}"; do
		echo "# $one" >>"$tap"
		emulated VERBSX_EMU_TAP="$tap" "$program" --filter "*/$one" >/dev/null || die "$one failed"
	done
	golden tap.txt "$tap"
	rm "$tap"
	emulated VERBSX_EMU_TAP="$tap" VERBSX_EMU_TAP_RAW=1 "$program" --filter "*/${tapped[0]}" >/dev/null
	expect '^wqe qp 0x[0-9a-f]* sq 0 SEND ds 2 CQ_UPDATE 0x[0-9a-f]*:0x[0-9a-f]*:16$' "$(cat "$tap")"
	rm "$tap"
}
