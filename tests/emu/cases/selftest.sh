#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The self-test, on devices of several kinds and under tools.
# shellcheck disable=SC2154 # check.sh, which sources this, has the variables

case_selftest() {
	local output

	output=$(emulated VERBSX_EMU_LEAKS=1 "$program" --jobs 2 --verbose) || die "failed: $output"
	all_passed "$output"
}

# librdmacm keeps its context
case_cm() {
	local link output

	for link in infiniband ethernet; do
		output=$(emulated VERBSX_EMU_FABRIC=none VERBSX_EMU_CONFIG=link_layer=$link "$program" --jobs 4 --filter '!(cm_patience)/*') ||
			die "on $link: $output"
		expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
		grep Synthesis <<<"$output"
	done
}

case_cm_long() {
	local output

	output=$(emulated VERBSX_EMU_FABRIC=none "$program" --jobs 2 --filter 'cm_patience/*') || die "$output"
	expect 'Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0' "$output"
}

case_lacking() {
	local output

	output=$(emulated VERBSX_EMU_CONFIG=odp=off,signature=off "$program" --filter 'lacking/*' 2>&1) || die "$output"
	expect 'Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0' "$output"
	[[ $output != *"it has"* ]] || die "nothing was tried: $output"
	output=$(emulated "$program" --filter 'refused/*') || die "$output"
	expect 'operations of device memory (mlx5dv_dm_map_op_addr) are not emulated: each store' "$output"
}

case_two_ports() {
	local output

	output=$(emulated VERBSX_EMU_CONFIG=ports=2 "$program" --filter '@(values|umad)/*') || die "$output"
	expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
	[[ $output != *"there is one port"* ]] || die "nothing was tried: $output"
}

# What has to be there of each is found there, and what is on one device works beside another
case_two_devices() {
	local config output

	for config in devices=2 devices=2,ports=2,link_layer=ethernet; do
		output=$(emulated VERBSX_EMU_CONFIG=$config "$program" --filter '@(devices|async|umad|values)/*') || die "$output"
		expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
		[[ $output != *"there is one device"* ]] || die "nothing was tried: $output"
	done
	output=$(emulated VERBSX_EMU_CONFIG=devices=2,device=bond_4 ibv_devices) || die "$output"
	expect 'bond_4 .*a1b2c3' "$output"
	expect 'bond_5 .*a1b2c5' "$output"
	output=$(emulated VERBSX_EMU_CONFIG=devices=2 ibnetdiscover) || die "$output"
	expect '"verbsx-emu-0 mlx5_1" lid 8 4xEDR' "$output"
	output=$(emulated VERBSX_EMU_CONFIG=devices=2,ports=3 ibv_devices) && die "too many ports: $output"
	expect 'verbsx-emu: 2 devices of 3 ports: there is room for 4 ports in all' "$output"
}

# From the request of a connection to its end, with one message lost and another late
cm_messages_are_tapped() {
	local tap=$TMPDIR/tap output

	output=$(emulated VERBSX_EMU_FABRIC=none VERBSX_EMU_TAP="$tap" VERBSX_EMU_FAULT=cm_drop:REQ,cm_delay:REP@20 "$program" \
		--filter cm/two_ends_come_together_and_part) || die "$output"
	diff -u - <(grep '^cm' "$tap") <<-'END' || die "another tap of a connection"
		cm id2 > REQ lost
		cm id2 > REQ
		cm id3 < REQ
		cm id4 > REP delayed
		cm id2 < REP
		cm id2 > RTU
		cm id4 < RTU
		cm id2 > DREQ
		cm id4 < DREQ
		cm id4 > DREP
		cm id2 < DREP
	END
	rm "$tap"
}

# A request and an answer that have come are not sent a third time while the program takes less than a second
cm_messages_are_few() {
	local tap=$TMPDIR/few output

	output=$(emulated VERBSX_EMU_FABRIC=none VERBSX_EMU_TAP="$tap" "$program" --filter cm_gone/who_takes_long_to_answer_is_waited_for) ||
		die "$output"
	diff -u - <(grep '^cm.*>' "$tap" | grep -v DRE) <<-'END' || die "other messages of a slow program"
		cm id2 > REQ
		cm id2 > REQ
		cm id4 > MRA
		cm id4 > REP
		cm id4 > REP
		cm id2 > MRA
		cm id2 > RTU
	END
	rm "$tap"
}

case_cm_devices() {
	local link output beside few

	cm_messages_are_tapped & # which is waiting, above all
	beside=$!
	cm_messages_are_few &
	few=$!
	for link in infiniband ethernet; do
		output=$(emulated VERBSX_EMU_FABRIC=none VERBSX_EMU_CONFIG=devices=2,link_layer=$link "$program" \
			--filter 'cm/@(an_address_is_that*|two_ends*)') || die "on $link: $output"
		expect 'Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0' "$output"
		[[ $output != *"there is one device"* ]] || die "nothing was tried: $output"
	done
	wait "$beside" || die "the tap of a connection, as above"
	wait "$few" || die "the messages of a slow program, as above"
}

# Keys in plaintext; wrapped ones come to the device of case_roce
case_crypto() {
	local output

	output=$(emulated VERBSX_EMU_CONFIG=crypto=plaintext "$program" --filter '@(crypto|signature)/*') || die "$output"
	expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
	expect 'a_key_with_another_tag_is_refused' "$(emulated VERBSX_EMU_CONFIG=crypto=plaintext "$program" --verbose --filter 'crypto/*')"
	without_libcrypto
}

# One that cannot be opened is found first: the device says so, and offers no encryption
without_libcrypto() {
	local none=$TMPDIR/none output

	mkdir "$none"
	: >"$none/libcrypto.so.3"
	output=$(emulated LD_LIBRARY_PATH="$none" VERBSX_EMU_CONFIG=crypto=plaintext "$program" --verbose --filter 'crypto/*') || die "$output"
	expect 'Passing: 1 | Failing: 0 | Crashing: 0' "$output"
	expect 'PASS.*there_is_none_unless_configured' "$output"
	expect 'the device encrypts nothing, as it has no libcrypto of OpenSSL 3' "$output"
	rm -r "$none"
}

case_roce() {
	export VERBSX_EMU_CONFIG=link_layer=ethernet,crypto=on,open_qp=on,lag=on
	case_selftest
	expect 'RoCE v2' "$(emulated ibv_devinfo -v)"
}

# A process a test, which is slow, so not all of them; what valgrind finds is in its logs
in_valgrind() {
	local areas=$1 output logs

	need valgrind valgrind
	output=$(emulated VERBSX_EMU_LEAKS=1 valgrind --trace-children=yes --vgdb=no --log-file="$TMPDIR/log.%p" \
		"$program" --filter "$areas/*" 2>&1) || die "failed: $output"
	logs=$(cat "$TMPDIR"/log.*)
	rm "$TMPDIR"/log.*
	expect 'ERROR SUMMARY: 0 errors' "$logs"
	! grep -q 'ERROR SUMMARY: [1-9]' <<<"$logs" || die "$logs"
	all_passed "$output"
}

case_valgrind() {
	in_valgrind '@(connected|fail|mkey|raw)'
}

case_valgrind_long() {
	in_valgrind '@(connected|datagram|dc|devx|error|fail|mkey|process|raw|srq|window)'
}

# libibverbs and libmlx5 keep some memory: what the device leaks is what it reports
case_asan() {
	local output

	output=$(ASAN_OPTIONS=detect_leaks=0 VERBSX_EMU_LEAKS=1 "$program" --jobs 2 2>&1) ||
		die "failed: $output"
	all_passed "$output"
}

case_asan_roce() {
	export VERBSX_EMU_CONFIG=link_layer=ethernet,crypto=plaintext
	case_asan
}

# Leaks are looked for in what libibverbs and the device make before main() as well
case_lsan() {
	local output setting preload=("$(gcc -print-file-name=libasan.so)" "$library")

	for setting in NONE=1 VERBSX_EMU_CONFIG=link_layer=ethernet,ipv4=127.0.0.1,max_qp=100 VERBSX_EMU_TAP=/dev/null; do
		output=$(env LD_PRELOAD="${preload[*]}" "$setting" "$program" 2>&1) || die "$setting: $output"
		[ "$output" = opened ] || die "$setting: $output"
	done
}
