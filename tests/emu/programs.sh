#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: programs.sh LIBRARY LIST LINK-LAYER [PATTERN]
#
# Runs programs of Debian's packages, unmodified, as server and client: two processes with an emulated device
# each, or with that of the kernel where LIBRARY is -. A line of LIST is NAME | SERVER | CLIENT [| OPTION], where @ADDRESS and @PORT are
# the server's, @TMP is a folder, and @OURS, @HERE and @THERE what the environment says. Both
# have to end with 0, and with the option "says TEXT" the client has to write that as well; a server with the option "forever"
# is killed. Only names that match PATTERN are run.
set -uo pipefail

readonly library=$1 list=$2 link=$3 pattern=${4:-.}
readonly address=${ADDRESS:-127.0.0.1} # of the environment where no socket is to be bound to it
TMPDIR=$(mktemp -d)
export TMPDIR
readonly server_output=$TMPDIR/server client_output=$TMPDIR/client
exec {idle}<> <(:) # nobody writes to it
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$TMPDIR"' EXIT
# By TCP too, programs reach each other at the address of the device
export VERBSX_EMU_CONFIG=link_layer=$link,ipv4=$address

# Become the program: words after the names of variables that a command line may begin with. A virtual machine has a time limit of its own
become() {
	local -a words=()

	read -ra words <<<"$1"
	[[ $library != - ]] || exec "${words[@]}"
	exec env LD_PRELOAD="$library" timeout -k 5 30 env "${words[@]}"
}

# On the kernel's device: it waits for rdma_cm, or its thread that does for another that does; or for what is sent to a group
waits_for_kernel() {
	case $(<"/proc/$1/wchan") in
	ucma_get_event | futex_* | *poll*) return 0 ;;
	esac
	grep -q joined "$server_output"
}

# A server is ready when it listens, by TCP or with rdma_cm, or has joined a group
is_ready() {
	if [[ $library == - ]]; then
		waits_for_kernel "$1"
		return
	fi
	grep -qi "$(printf ':%04X 0*:0000 0A' "$port")" /proc/net/tcp /proc/net/tcp6 ||
		grep -aEq 'cm_listen .*-> 0|attach_mcast|umad agent .* methods 0x[1-9a-f]' "$server_output"
}

await_server() {
	local i

	for ((i = 0; i < 200; i++)); do
		is_ready "$1" && return
		kill -0 "$1" 2>/dev/null || return 1
		read -rt 0.05 -u "$idle" # to sleep without a process
	done
	return 1
}

fill_in() {
	local text=${1//@ADDRESS/$address}

	text=${text//@OURS/${OURS:-}}
	text=${text//@HERE/${HERE:-}}
	text=${text//@THERE/${THERE:-}}
	text=${text//@TMP/$TMPDIR}
	echo "${text//@PORT/$port}"
}

# A thread of rping waits for events of a channel that the main thread closes in the end. Where it has lost its core after
# the last event, it comes back too late and ends the program with 255, whatever the device.
is_rpings_own() {
	[[ $1 == 255 ]] && grep -q 'rdma_get_cm_event: Bad file descriptor' "$2"
}

# What a program's status says, unless it is no failure
failure() {
	(($2 == 0)) || is_rpings_own "$2" "$3" || echo "the $1 ended with $2; "
}

says() {
	[[ $1 != *says* ]] || grep -Fq "${1#*says }" "$client_output" || echo "the client does not say '${1#*says }'"
}

run_pair() {
	local server rc

	port=$((10000 + RANDOM % 22000)) # below those that the system gives to whoever connects
	: >"$server_output" # what the one before wrote is not meant
	VERBSX_EMU_TRACE=1 become "$(fill_in "$1")" >"$server_output" 2>&1 &
	server=$!
	await_server "$server"
	(become "$(fill_in "$2")") >"$client_output" 2>&1
	rc=$?
	wrong=$(failure client $rc "$client_output")
	[[ $3 == *forever* ]] && kill "$server" 2>/dev/null
	wait "$server"
	rc=$?
	[[ $3 == *forever* ]] || wrong+=$(failure server $rc "$server_output")
	wrong+=$(says "$3")
	[[ -z $wrong ]]
}

failed=0 count=0 wrong='' port=0
while IFS='|' read -r name server client options; do
	name=${name// /}
	[[ -n $name && $name != \#* && $name =~ $pattern ]] || continue
	((count++))
	if run_pair "$server" "$client" "$options"; then
		echo "ok   $name"
	else
		echo "FAIL $name: $wrong"
		grep -av '^verbsx-emu: ' "$server_output" "$client_output" | tail -n 8
		((failed++))
	fi
done <"$list"
echo "$((count - failed)) of $count on $link"
((count && !failed))
