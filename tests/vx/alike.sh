#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: alike.sh CASE VX GOLDEN-FOLDER
#
# One ctest case of the vx tool: explain, what looks like something else than it is.
set -euo pipefail

# shellcheck source=tests/vx/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Of a port it is told in Gb/s, and no number of an enum.
case_explain_rates() {
	local line value

	while IFS='|' read -r line value; do
		run 0 "$vx" explain -- "$(printf '%b' "$line")"
		[[ $(grep -cE '^[a-z_]+ ' <<<"$output") == 1 ]] || die "$line: more than one: $output"
		like "$output" "^rate "
		like "$output" "^  value *: $value\$"
		unlike "$output" 'IBV_RATE\|none of its'
	done <<-'END'
		Rate: 2.5|2.5 Gb/s
		Rate: 5|5 Gb/s
		\t\tRate: 10|10 Gb/s
		Rate: 20|20 Gb/s
		Rate: 100|100 Gb/s
		Rate: 200|200 Gb/s
		Rate: 40 (FDR10)|40 Gb/s, FDR10
		\trate:\t\t 100 Gb/sec (4X EDR)|100 Gb/s: 4 lanes of 25 Gb/s, EDR
		rate: 2.5 Gb/sec (1X SDR)|2.5 Gb/s: 1 lane of 2.5 Gb/s, SDR
		rate: 10 Gb/sec (4X)|10 Gb/s: 4 lanes of 2.5 Gb/s
		100 Gb/sec (4X EDR)|100 Gb/s: 4 lanes of 25 Gb/s, EDR
		/sys/class/infiniband/mlx5_0/ports/1/rate:56 Gb/sec (4X FDR)|56 Gb/s: 4 lanes of 14 Gb/s, FDR
	END
	for line in 'rate 10' 'static_rate: 10' 'ibv_rate: 10' 'rate: 120 Gb/s (10)'; do
		run 0 "$vx" explain "$line"
		like "$output" IBV_RATE_120_GBPS
		unlike "$output" '^rate '
	done
	run 1 "$vx" explain 'Clock rate: 100'
	run 1 "$vx" explain '3 Gb/sec of traffic'
}

# A value says nothing where the words before it name no field that has it.
case_explain_words_of_nothing() {
	local line first count=0

	while read -r line; do
		run 1 "$vx" explain -- "$line"
		nothing "$output"
		((++count))
	done <<-'END'
		pages: 512
		limit: 4096
		Threshold: 1024
		foo: 2048
		foo=2048
		a: b=2048
		Port xmit data: 4096
		Component: tcp
		a: tcp
		a = tcp
		mode: udp
		credits: 256
		nofile: 1024
		b: LinkUp
		eth0 link: Polling
		transport mode: tcp
		memory: 1024
		queue depth: 256
		chunk: 2048
		x: 512
		protocol used: udp
		buffers: 256
		window: 2048
		eth0/speed: 4X
		: tcp
	END
	((count == 25)) || die "only $count lines"
	while IFS='|' read -r line first; do
		run 0 "$vx" explain -- "$line"
		[[ $(head -1 <<<"$output") == "$first" ]] || die "$line: $(head -1 <<<"$output"), not $first"
	done <<-'END'
		phys state: 5: LinkUp|field ibv_port_attr.phys_state
		mlx5_0/ports/1/phys_state:5: LinkUp|field ibv_port_attr.phys_state
		mlx5_0 Physical state = LinkUp|field ibv_port_attr.phys_state
		width: 4X|field ibv_port_attr.active_width
	END
}

# A number behind "error" or "status" is an errno only in a line that is of what uses verbs, or where it is negative.
number_of_something_else() {
	local line

	while read -r line; do
		run 1 "$vx" explain -- "$line"
		nothing "$output"
	done <<-'END'
		python3[1234]: segfault at 0 ip 00007f1c sp 00007ffd error 4 in libc.so.6[7f1c+1000]
		prog[12]: segfault at 10 ip 00007f1c sp 00007ffd error 6 in ibsim[40+1000]
		make: *** [Makefile:12: all] Error 2
		make[1]: *** [rdma_server] Error 13
		CUDA error 2: out of memory
		NCCL WARN Cuda failure 2
		CUDA error 12 in ncclGroupEnd of NCCL
		systemd[1]: foo.service: Main process exited, code=exited, status=12/n/a
		systemd[1]: opensm.service: Main process exited, code=exited, status=5/NOTINSTALLED
		rdma-ndd.service: Main process exited, code=killed, status=9/KILL
		epoch 4, status: 12
		docker: Error response from daemon: status 4
		docker: Error response: status 4
		Test 12 failed with 5
		disk sda: error 5
		job ended, rc=12
		parser error code 22
	END
	while IFS='|' read -r line name; do
		run 0 "$vx" explain -- "$line"
		[[ $(head -1 <<<"$output") == "errno $name" ]] || die "$line: $(head -1 <<<"$output")"
	done <<-'END'
		mlx5_0: query failed, error 22|EINVAL
		uverbs: rc=12 of the command|ENOMEM
		usb 1-1: device descriptor read/64, error -110|ETIMEDOUT
		the program said errno 12|ENOMEM
		RoCE setup: ret 22|EINVAL
	END
}

# Words that are not what they look like, and numbers that mean something else than usual
case_explain_misleading_lines() {
	run 0 "$vx" explain 'CQ transport error -6 on qpair id 0'
	unlike "$output" IBV_EVENT_PORT_ERR
	run 1 "$vx" explain 'nvme_rdma: CQ error on Queue Pair 7'
	run 0 "$vx" explain 'uverbs: poll CQ error -5'
	like "$output" '^errno EIO$'
	unlike "$output" IBV_EVENT_CQ_ERR
	run 0 "$vx" explain 'CQ error'
	like "$output" '^enumerator IBV_EVENT_CQ_ERR$'
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
	for text in 'syndrome -1' 'vendor_err -1' 'vendor err -5' 'vendor_err=-22'; do
		run 0 "$vx" explain "$text"
		unlike "$output" '^vendor_err'
	done
	number_of_something_else
	run 1 "$vx" explain IB_NO_SUCH_NAME
	like "$errors" '"IB_NO_SUCH_NAME"'
	unlike "$errors" IBV_NO
	run 1 "$vx" explain 'NCCL_IB_WC_SUCCESS is nothing'
	run 1 "$vx" explain 'foo: Unknown symbol bar_baz (err -22)'
	run 1 "$vx" explain 'job 14 failed with 3'
	run 1 "$vx" explain 'job 14 failed with 12'
	run 1 "$vx" explain 'the call failed with 3'	# an errno that no call of rdma-core has
	run 0 "$vx" explain 'errno 3'
	like "$output" '^errno ESRCH$'
	for text in 'Failed (12)' 'Failed ( 12 )' 'failed  (12)'; do
		run 0 "$vx" explain "$text"
		unlike "$output" '^field'
	done
	run 1 "$vx" explain 'Completion (12)'
	run 1 "$vx" explain 'Completion with error at client was seen'
	run 1 "$vx" explain 'took from 2 to 3 seconds'
	run 1 "$vx" explain 'version 7 of it was not found'
	run 1 "$vx" explain 'port of the host was not found'
	run 1 "$vx" explain 'Fatal error: the disk is full'
	run 1 "$vx" explain '00000000 00000000 00000000 00000000'
	run 1 "$vx" explain '00000030: 00 00 00 00 00 00 88 13 08 00 01 23 00 00 e5 02'	# of no completion that failed
	run 1 "$vx" explain '00000030: 00 00 00 00 00 00 88 13'
	run 0 "$vx" explain port_num=0	# not the default of an init structure
	unlike "$output" 'default (0)'
	run 0 "$vx" explain max_send_wr=0
	unlike "$output" 'default (0)'
}

"case_$1"
