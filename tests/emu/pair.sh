#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: pair.sh LIBRARY CONFIGURATION PROGRAM [ARGUMENT...]
#        pair.sh LIBRARY CONFIGURATION devices PROGRAM [ARGUMENT...]
#        pair.sh LIBRARY CONFIGURATION killed
#        pair.sh LIBRARY CONFIGURATION idle
#        pair.sh LIBRARY CONFIGURATION order
#        pair.sh LIBRARY CONFIGURATION calls
#        pair.sh LIBRARY CONFIGURATION comers
#        pair.sh LIBRARY CONFIGURATION frames
#        pair.sh LIBRARY CONFIGURATION kills COUNT [SEED]
#
# Runs a program as server and as client, two processes with an emulated device each. Fails
# also when something is left behind.
set -euo pipefail

readonly library=$1
export VERBSX_EMU_CONFIG=$2
shift 2
# A port of TCP for programs that run at the same time: below those that the system gives to whoever connects
port=$((10000 + $$ % 22000))
TMPDIR=$(mktemp -d)
export TMPDIR
readonly server_output=$TMPDIR/server client_output=$TMPDIR/client
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$TMPDIR"' EXIT

die() {
	echo "pair.sh: $*" >&2
	tail -n 40 "$server_output" "$client_output" >&2 || true
	exit 1
}

is_listening() {
	grep -qi "$(printf ':%04X 0*:0000 0A' "$port")" /proc/net/tcp /proc/net/tcp6
}

# What measures bandwidth in perftest compares two clocks for its report and ends with 1, "Can't produce a report", where
# it has lost its core between them, as on a busy machine. With -F it reports all the same.
own_options() {
	[[ $1 != ib_*_bw ]] || echo -F
}

start_server() {
	local i

	while is_listening; do port=$((port + 1)); done
	command -v "$1" >/dev/null || die "$1 is missing: install ibverbs-utils and perftest"
	# shellcheck disable=SC2046 # none, or a word
	LD_PRELOAD=$library timeout 60 "$@" $(own_options "$1") -p "$port" >"$server_output" 2>&1 &
	server=$!
	for ((i = 0; i < 200; i++)); do
		is_listening && return
		kill -0 "$server" 2>/dev/null || die "$1: the server has ended"
		sleep 0.05
	done
	die "$1: the server does not listen"
}

client() {
	# shellcheck disable=SC2046
	LD_PRELOAD=$library timeout 60 "$@" $(own_options "$1") -p "$port" 127.0.0.1 >"$client_output" 2>&1
}

# The server runs already
finish() {
	client "$@" || die "$*: the client failed with $?"
	wait "$server" || die "$*: the server failed with $?"
	server=
	grep -Eq 'iters in|success|typical|MsgRate' "$client_output" || die "$*: no result"
}

pair() {
	start_server "$@"
	finish "$@"
}

# Each end on a device of its own: the first of one process, the second of the other
devices() {
	start_server "$@" -d mlx5_0
	finish "$@" -d mlx5_1
}

# The server dies @seconds after the client began: whether the client is told. It runs one
# that always has something to send, as nobody else can be told, and may not have begun to.
is_told_after() {
	local -r seconds=$1 program=(ib_write_bw -D 30)

	start_server "${program[@]}"
	(sleep "$seconds" && pkill -KILL -P "$server") &
	! client "${program[@]}" || die "a client without a server succeeded"
	wait "$server" || true
	server=
	rm -r "$TMPDIR"/verbsx-emu-sysfs.*
	grep -q 'Failed status 12' "$client_output"
}

# An acknowledgement comes before what the peer sends afterwards, and so does its completion
order() {
	local tap=$TMPDIR/tap

	start_server ib_send_lat -e -n 500
	VERBSX_EMU_TAP=$tap client ib_send_lat -e -n 500 || die "the client failed with $?"
	wait "$server" || die "the server failed with $?"
	server=
	awk '/^packet peer > qp1 .* ACK/ { acked = 1 }
	     /^cqe .* REQ qp1/ { acked = 0 }
	     /^cqe .* RESP_SEND/ && acked { bad++ }
	     /^cqe .* REQ qp1/ { n++ }
	     END { if (bad || !n) { print bad + 0 " of " n + 0 " completions came late"; exit 1 } }' "$tap" ||
		die "in the tap"
	rm "$tap"
}

# One of them dies: the other's retries run out, and what the dead one held is free again
killed() {
	is_told_after 2 || is_told_after 5 || is_told_after 12 || die "the client was not told"
	LD_PRELOAD=$library ibv_devinfo >"$client_output" || die "no device for those after them"
	grep -Eq 'port_lid:.*(0|7)$' "$client_output" || die "the first place is not free again"
}

# Programs that end when the other one is gone, as on hardware: whoever sends has retries that run out, and whoever serves
# has a connection of TCP besides
readonly enders=("ib_write_bw -D 30" "ib_read_bw -D 30" "ib_write_bw -b -D 30" "ib_atomic_bw -D 30" "ib_write_bw -q 4 -s 256 -D 30")

random_ms() {
	printf '0.%03d' $((RANDOM % 800))
}

# Whichever is left ends by itself in time, and by no signal: 128 and more are those, 124 is too late
ends_well() {
	local status=0

	wait "$1" || status=$?
	((status < 124)) || die "$2: the $3 ended with $status when the other one was killed"
}

# The program that timeout(1) runs, which may not have begun to
kill_now() {
	until pkill -KILL -P "$1" || ! kill -0 "$1" 2>/dev/null; do
		sleep 0.01
	done
	wait "$1" || true
}

# The two of a pair, of which one is killed at some time: while it makes its objects, connects, or sends
kill_one() {
	local -a program
	local client

	read -ra program <<<"$1"
	start_server "${program[@]}"
	LD_PRELOAD=$library timeout 30 "${program[@]}" -F -p "$port" 127.0.0.1 >"$client_output" 2>&1 &
	client=$!
	sleep "$(random_ms)"
	if ((RANDOM % 2)); then
		kill_now "$server"
		ends_well "$client" "$1" client
	else
		kill_now "$client"
		sleep 0.2
		if is_listening; then # it never met its client, and waits for one, as on hardware
			kill "$server"
			wait "$server" || true
		else
			ends_well "$server" "$1" server
		fi
	fi
	server=
}

# One of two dies, again and again, in one fabric, of which nothing is left afterwards
kills() {
	local -r count=$1 seed=${2:-$$}
	local i

	echo "seed $seed"
	RANDOM=$seed
	for ((i = 0; i < count; i++)); do
		kill_one "${enders[RANDOM % ${#enders[@]}]}"
	done
	LD_PRELOAD=$library ibv_devinfo >"$client_output" || die "no device for those after them"
	grep -Eq 'port_lid:.*(0|7)$' "$client_output" || die "the first place is not free again"
}

# Calls of send() that the client of a program makes
count_sends() {
	local -r counts=$TMPDIR/counts

	start_server "$@"
	# shellcheck disable=SC2046
	strace -f -c -U calls,name -o "$counts" -e trace=sendto,sendmsg \
		env LD_PRELOAD="$library" timeout 60 "$@" $(own_options "$1") -p "$port" 127.0.0.1 >"$client_output" 2>&1 ||
		die "the client failed with $?"
	wait "$server" || die "the server failed with $?"
	server=
	awk '$2 == "total" { print $1 }' "$counts"
	rm "$counts"
}

# A peer that polls does not sleep, unless others keep it from its core, so it is tried again
has_few_sends() {
	local -r most=$1
	local i

	shift
	for i in {1..8}; do
		count_sends "$@" >"$TMPDIR/sends"
		(($(<"$TMPDIR/sends") >= most)) || break
	done
	(($(<"$TMPDIR/sends") < most)) || die "$(<"$TMPDIR/sends") calls of send() by $*, $i times"
	rm "$TMPDIR/sends"
}

# What is sent goes through memory: a system call wakes a peer that sleeps, but there is none for each message, be they many at
# once or one after the other
calls() {
	command -v strace >/dev/null || die "strace is missing"
	has_few_sends 1000 ib_send_bw -s 64 -n 10000
	has_few_sends 500 ibv_rc_pingpong -n 2000
}

# Microseconds of CPU that the threads of a process have taken so far
cpu_time() {
	cat "/proc/$1/task/"*/schedstat | awk '{ ns += $1 } END { print int(ns / 1000) }'
}

# Microseconds that the busier of some processes has taken of a second
busiest_of() {
	local pid taken before=() most=0

	for pid in "$@"; do before+=("$(cpu_time "$pid")"); done
	sleep 1
	for pid in "$@"; do
		taken=$(($(cpu_time "$pid") - before[0]))
		before=("${before[@]:1}")
		most=$((taken > most ? taken : most))
	done
	echo "$most"
}

# Two processes with an open device and nothing to do: each takes less than 0.5 % of a core in some second, and it is tried
# again, for others may be emptying its caches
idle() {
	local watchers=() most i

	for i in 0 1; do
		LD_PRELOAD=$library ibv_asyncwatch >"$TMPDIR/$i" 2>&1 &
		watchers+=($!)
	done
	sleep 1
	for i in {1..10}; do
		most=$(busiest_of "${watchers[@]}")
		[ "$most" -ge 5000 ] || break
	done
	kill "${watchers[@]}"
	wait "${watchers[@]}" || true
	[ "$most" -lt 5000 ] || die "an idle process took $most us of a second, ten times over"
	rm "$TMPDIR/0" "$TMPDIR/1"
	touch "$server_output" "$client_output"
}

# Processes that come one after the other all have the second place, where somebody else was before: they are heard to the
# end, though it is only the answer to them by which the first process hears of a death. On one host, it is the agent that makes the difference
comers() {
	local i

	command -v ibaddr >/dev/null || die "ibaddr is missing: install infiniband-diags"
	touch "$server_output"
	VERBSX_EMU_TRACE=1 LD_PRELOAD=$library timeout 60 ibping -S >"$server_output" 2>&1 &
	server=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q 'class 0x32' "$server_output" || break
		sleep 0.05
	done
	for i in {1..4}; do
		LD_PRELOAD=$library ibaddr 7 >"$client_output" 2>&1 || die "the one that came as number $i is not answered"
	done
	LD_PRELOAD=$library ibping -c 1 7 >"$client_output" 2>&1 || die "no ping"
	grep -q 'Pong from' "$client_output" || die "no pong"
	kill "$server"
	wait "$server" || true
	server=
	LD_PRELOAD=$library ibaddr >"$client_output" # which takes away what is left
}

# A program of raw Ethernet frames, by the MACs of the two processes; it knows no connection, and would wait for ever where one
# frame came before it was ready, so it is tried again
exchange_frames() {
	local -r program=(timeout 15 raw_ethernet_lat -n 500 -s 64) first=02:00:0a:01:00:01 second=02:00:0a:01:00:02
	local i

	VERBSX_EMU_TRACE=1 LD_PRELOAD=$library "${program[@]}" --server -B "$first" -E "$second" >"$server_output" 2>&1 &
	server=$!
	for ((i = 0; i < 200; i++)); do
		! grep -aq 'create_flow' "$server_output" || break
		sleep 0.02
	done
	sleep 0.2
	LD_PRELOAD=$library "${program[@]}" --client -B "$second" -E "$first" >"$client_output" 2>&1 && wait "$server"
}

frames() {
	local i

	command -v raw_ethernet_lat >/dev/null || die "raw_ethernet_lat is missing: install perftest"
	for i in 1 2 3; do
		! exchange_frames || break
		wait "$server" || true
	done
	server=
	grep -q typical "$client_output" || die "no result, three times"
}

if [[ $1 == @(killed|kills|devices|idle|order|calls|comers|frames) ]]; then
	"$@"
else
	pair "$@"
fi
rm "$server_output" "$client_output"
[ -z "$(ls -A "$TMPDIR")" ] || die "left behind: $(ls "$TMPDIR")"
