#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# usage: check.sh CASE LIBRARY PROGRAM
#
# One ctest case of the emulated device, on the installed libibverbs and libmlx5.
# GOLDEN_WRITE=1 makes the golden files anew instead of comparing with them.
# Every case also fails when something is left behind in its TMPDIR.
set -euo pipefail

readonly library=$2 program=$3
readonly SKIPPED=77 # the exit status
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

die() {
	echo "check.sh: $*" >&2
	exit 1
}

# A file of golden/ and what it should be equal to: golden NAME FILE
golden() {
	local name=$1 file=$2 expected

	expected=$(dirname "${BASH_SOURCE[0]}")/golden/$name
	[ -z "${GOLDEN_WRITE:-}" ] || cp "$file" "$expected"
	diff -u "$expected" "$file" || die "not as in $expected"
}

need() {
	command -v "$1" >/dev/null || die "$1 is missing: install $2"
}

# Run a command on the emulated device: emulated [NAME=VALUE...] COMMAND...
emulated() {
	env LD_PRELOAD="$library" "$@" 2>&1
}

expect() {
	local pattern=$1 output=$2

	grep -q -- "$pattern" <<<"$output" || die "no '$pattern' in: $output"
}

# What the runner says of all tests, those of another link layer too, whose reasons are shown
all_passed() {
	local output=$1

	expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
	expect 'leaked 0 objects$' "$output"
	! grep 'leaked [1-9]' <<<"$output" || die "something is left"
	grep SKIP <<<"$output" || true
	grep Synthesis <<<"$output"
}

case_selftest() {
	local output

	output=$(emulated VERBSX_EMU_LEAKS=1 "$program" --jobs 2 --verbose) || die "failed: $output"
	all_passed "$output"
}

# librdmacm keeps its context
case_cm() {
	local link output

	for link in infiniband ethernet; do
		output=$(emulated VERBSX_EMU_FABRIC=none VERBSX_EMU_CONFIG=link_layer=$link "$program" --jobs 2) ||
			die "on $link: $output"
		expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
		grep Synthesis <<<"$output"
	done
}

case_lacking() {
	local output

	output=$(emulated VERBSX_EMU_CONFIG=odp=off,signature=off "$program" --filter 'lacking/*' 2>&1) || die "$output"
	expect 'Tested: 2 | Passing: 2 | Failing: 0 | Crashing: 0' "$output"
	[[ $output != *"it has"* ]] || die "nothing was tried: $output"
}

# Keys in plaintext; wrapped ones come to the device of case_roce
case_crypto() {
	local output

	output=$(emulated VERBSX_EMU_CONFIG=crypto=plaintext "$program" --filter '@(crypto|signature)/*') || die "$output"
	expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
	expect 'a_key_with_another_tag_is_refused' "$(emulated VERBSX_EMU_CONFIG=crypto=plaintext "$program" --verbose --filter 'crypto/*')"
}

case_roce() {
	export VERBSX_EMU_CONFIG=link_layer=ethernet,crypto=on,open_qp=on,lag=on
	case_selftest
	expect 'RoCE v2' "$(emulated ibv_devinfo -v)"
}

# A process a test, which is slow, so not all of them; what valgrind finds is in its logs
case_valgrind() {
	local areas='@(connected|datagram|dc|devx|error|fail|mkey|process|raw|srq|window)' output logs

	need valgrind valgrind
	output=$(emulated VERBSX_EMU_LEAKS=1 valgrind --trace-children=yes --vgdb=no --log-file="$TMPDIR/log.%p" \
		"$program" --filter "$areas/*" 2>&1) || die "failed: $output"
	logs=$(cat "$TMPDIR"/log.*)
	rm "$TMPDIR"/log.*
	expect 'ERROR SUMMARY: 0 errors' "$logs"
	! grep -q 'ERROR SUMMARY: [1-9]' <<<"$logs" || die "$logs"
	all_passed "$output"
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

# Whether it still runs; its figures are for people, as a test of time fails on a busy machine.
case_bench() {
	local output

	output=$(emulated "$program") || die "failed: $output"
	echo "$output"
	expect '^rate ' "$output"
	expect '^idle ' "$output"
}

case_devinfo() {
	need ibv_devinfo ibverbs-utils
	expect 'PORT_ACTIVE' "$(emulated ibv_devinfo -v)"
}

case_devices() {
	need ibv_devices ibverbs-utils
	expect 'mlx5_0.*0002c90300a1b2c3' "$(emulated ibv_devices)"
}

case_fail() {
	local output

	need ibv_devinfo ibverbs-utils
	output=$(emulated VERBSX_EMU_FAULT=query_port#2:EIO ibv_devinfo || true)
	expect 'Failed to query port 1' "$output"
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
	output=$(emulated VERBSX_EMU_CONFIG=ports=2 VERBSX_EMU_FAULT=port_down:2,lid:2=77 ibv_devinfo)
	expect 'PORT_DOWN' "$output"
	expect 'port_lid:.*77' "$output"
	output=$(emulated VERBSX_EMU_FAULT=REM_OP_ERR:1 "$program" --filter "*/a_send_completes_at_both_ends" || true)
	expect 'status remote operation error' "$output"
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
	answers=$(python3 - "$TMPDIR" <<-'END'
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
	expect "^ok; column 1: no such .* 'nonsense'; ok\$" "$answers"
	hears IBV_EVENT_SM_CHANGE
	stop_watch
}

# Tests in which nothing depends on time
readonly tapped=(a_send_completes_at_both_ends a_read_sees_the_write_before_it
	fetch_and_add_returns_the_old_value memcpy_copies a_datagram_leaves_room_for_the_grh
	a_wrong_qkey_is_silently_lost a_dct_wants_the_right_key a_list_scatters
	an_invalidated_mkey_is_refused a_window_opens_and_closes
	without_a_receiver_the_retries_run_out a_wrong_rkey_breaks_both_ends
	a_lost_packet_is_sent_again a_lost_answer_does_nothing_twice
	a_corrupt_packet_has_one_wrong_bit a_gap_is_noticed_before_the_time_is_over
	a_read_goes_on_where_its_response_broke_off over_uc_a_gap_loses_the_rest_of_the_message)

case_tap() {
	local tap=$TMPDIR/tap one

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

# So many random programs, the first of that seed: random SEED COUNT COMMAND...
random() {
	local seed=${VERBSX_EMU_SEED:-$1} count=${VERBSX_EMU_PROGRAMS:-$2} output
	shift 2

	output=$("$@" "$seed" "$count" 2>&1) || die "failed: $output"
	echo "$output"
	expect "^$count programs from seed $seed\$" "$output"
}

case_random.infiniband() {
	ASAN_OPTIONS=detect_leaks=0 random 1 2000 "$program"
}

case_random.roce() {
	VERBSX_EMU_CONFIG=link_layer=ethernet ASAN_OPTIONS=detect_leaks=0 random 5001 2000 "$program"
}

case_random.valgrind() {
	need valgrind valgrind
	random 10001 300 emulated valgrind --quiet --error-exitcode=9 --trace-children=yes "$program"
}

case_random.tsan() {
	local here tsan

	here=$(dirname "${BASH_SOURCE[0]}")
	tsan=$(gcc -print-file-name=libtsan.so)
	LD_PRELOAD="$tsan $library" TSAN_OPTIONS="suppressions=$here/tsan.supp:die_after_fork=0" \
		random 20001 900 "$program"
}

# Where they are; a system that keeps no documentation has thrown them away.
upstream_tests() {
	local tests=/usr/share/doc/rdma-core/tests

	if [ ! -d "$tests" ]; then
		(cd "$TMPDIR" && apt-get download -qq python3-pyverbs && dpkg-deb -x python3-pyverbs_*.deb pyverbs) >&2 ||
			die "neither $tests nor the package python3-pyverbs can be had"
		tests=$TMPDIR/pyverbs$tests
	fi
	echo "$tests"
}

# upstream COLUMN CONFIGURATION TESTS [PATTERN]
upstream() {
	local output

	output=$(emulated VERBSX_EMU_CONFIG="one_host=on,ipv4=127.0.0.1,lag=on,$2" \
		/usr/bin/python3 "$(dirname "${BASH_SOURCE[0]}")/upstream.py" "$1" "${@:3}") ||
		die "$output"
	tail -n 1 <<<"$output"
}

# rdma-core's own Python tests, on a port of either kind; keys come to a device either wrapped or not
case_upstream() {
	local tests

	[ -e /usr/lib/python3/dist-packages/pyverbs/__init__.py ] || die "install python3-pyverbs"
	tests=$(upstream_tests)
	upstream infiniband crypto=wrapped "$tests"
	upstream ethernet link_layer=ethernet,crypto=wrapped "$tests"
	upstream plaintext crypto=plaintext "$tests" crypto
	rm -rf "$TMPDIR"/*pyverbs*
}

# It destroys nothing that it makes
case_leaks() {
	local output

	output=$(emulated VERBSX_EMU_LEAKS=all "$program" rc)
	expect 'leaked qp [0-9]*: RC, number 0x[0-9a-f]*, of pd [0-9]*$' "$output"
	expect 'leaked mr [0-9]*: key 0x[0-9a-f]*, 65536 bytes, of pd [0-9]*$' "$output"
	expect 'leaked cq [0-9]*: 1024 entries, of context 0$' "$output"
	expect 'leaked pd [0-9]*: of context 0$' "$output"
	expect 'leaked [0-9]* objects: 1 qp.*, 1 pd, 1 context$' "$output"
}

# The WQEs of libmlx5, by QP type; with other data none of the files may fit
case_wqe() {
	local wqes=$TMPDIR/wqes type

	for type in rc uc ud xrc dci; do
		echo '# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB' >"$wqes"
		emulated "$program" "$type" >>"$wqes" || die "$type: $(tail -1 "$wqes")"
		golden "wqe-$type.txt" "$wqes"
		emulated "$program" "$type" 17 >"$wqes"
		! (GOLDEN_WRITE='' golden "wqe-$type.txt" "$wqes") >/dev/null 2>&1 ||
			die "wqe-$type.txt fits other WQEs"
	done
	rm "$wqes"
}

# What makes Python look for devices, upon which there is something to clean up
readonly look='import ctypes, os, signal
ctypes.CDLL("libibverbs.so.1").ibv_get_device_list(None)
assert os.listdir(os.environ["TMPDIR"])'

# The default actions of signals still end a program, and clean up before
case_signals() {
	local sig status

	for sig in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU XFSZ VTALRM PROF \
		POLL PWR SYS RTMIN RTMAX; do
		status=0
		emulated python3 -c "$look
signal.signal(signal.SIG$sig, signal.SIG_DFL)
assert signal.getsignal(signal.SIG$sig) == signal.SIG_DFL
os.kill(os.getpid(), signal.SIG$sig)" || status=$?
		[ "$status" = "$((128 + $(kill -l "$sig")))" ] || die "$sig: exit status $status"
		[ -z "$(ls -A "$TMPDIR")" ] || die "$sig: left behind: $(ls "$TMPDIR")"
	done
}

# Nothing can be done before SIGKILL; who comes next cleans up, but not after the living
case_killed() {
	local i

	emulated python3 -c "$look
import time
while not os.path.exists('$TMPDIR/over'): time.sleep(0.05)" &
	for ((i = 0; i < 3; i++)); do
		emulated python3 -c "$look
os.kill(os.getpid(), signal.SIGKILL)" || true
	done
	emulated python3 -c "$look
trees = [name for name in os.listdir(os.environ['TMPDIR']) if 'sysfs' in name]
assert len(trees) == 2, trees"
	touch "$TMPDIR/over"
	wait
	rm "$TMPDIR/over"
}

# What programs look for that do not ask SYSFS_PATH, as UCX does
case_sysfs() {
	export VERBSX_EMU_CONFIG=link_layer=ethernet,ipv4=127.0.0.1
	emulated python3 - <<-'END'
		import glob, os
		device = "/sys/class/infiniband/mlx5_0"
		pci = os.path.realpath(device + "/device")
		assert pci == "/sys/devices/pcie000:00/e000:01:00.0", pci
		assert os.path.realpath(device) == pci + "/infiniband/mlx5_0"
		def line(path):
		    with open(path) as f:
		        return f.read().rstrip()
		assert line(device + "/device/vendor") == "0x15b3"
		assert line("/sys/bus/pci/devices/e000:01:00.0/numa_node") == "-1"
		assert line(device + "/ports/1/gid_attrs/types/3") == "RoCE v2"
		assert line(device + "/ports/1/gid_attrs/ndevs/3") == "lo"
		assert os.listdir(device + "/ports") == ["1"]
		assert glob.glob("/sys/class/infiniband_verbs/*/ibdev"), "nothing to list"
		assert os.path.exists("/sys/kernel"), "another path"
	END
}

# Whoever looks first, parent or child
case_fork() {
	emulated python3 -c 'import ctypes, os, sys

def devices():
	n = ctypes.c_int()
	ctypes.CDLL("libibverbs.so.1").ibv_get_device_list(ctypes.byref(n))
	return n.value

for _ in range(2):
	if not os.fork():
		sys.exit(devices() - 1)
	assert os.wait()[1] == 0
	assert devices() == 1'
}

# Processes that are one host: they have the same addresses, and each port number once
case_one_host() {
	local link output server refused
	local -r fabric=$TMPDIR/verbsx-emu-fabric.$(id -u).default

	need rping rdmacm-utils
	for link in infiniband ethernet; do
		export VERBSX_EMU_CONFIG=link_layer=$link,one_host=on,ipv4=127.0.0.1
		output=$(emulated "$program" --jobs 2 --filter '@(process/*|fabric/!(they_have_addresses_of_their_own))') || die "on $link: $output"
		expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
		[ "$(emulated ls /sys/class/infiniband/mlx5_0/device/net/)" = lo ] || die "no network interface"
		env LD_PRELOAD="$library" rping -s -P -a 127.0.0.1 -p 7999 >"$TMPDIR/server" 2>&1 &
		server=$!
		until [ "$(find "$fabric" -name port-106-7999 2>/dev/null)" ]; do sleep 0.05; done
		emulated rping -c -a 127.0.0.1 -p 7999 -C 3 || die "on $link: no connection"
		refused=$(emulated rping -s -a 127.0.0.1 -p 7999 || true)
		expect 'Address already in use' "$refused"
		kill -KILL "$server"
		wait "$server" || true
		env LD_PRELOAD="$library" rping -s -a 127.0.0.1 -p 7999 >"$TMPDIR/server" 2>&1 &
		server=$!
		until [ "$(emulated rping -c -a 127.0.0.1 -p 7999 -C 1 >/dev/null && echo done)" ]; do
			kill -0 "$server" || die "what the dead had is not free: $(cat "$TMPDIR/server")"
		done
		wait "$server" || die "the server: $(cat "$TMPDIR/server")"
		rm "$TMPDIR/server"
	done
}

# Forty processes in one fabric, all of them sending to all; then with some that die meanwhile
case_crowd() {
	local link

	for link in infiniband ethernet; do
		emulated VERBSX_EMU_CONFIG=link_layer=$link "$program" 40 || die "on $link"
		emulated VERBSX_EMU_CONFIG=link_layer=$link "$program" 40 15 || die "on $link, with fifteen killed"
	done
	emulated ibv_devices >/dev/null # it takes away what the killed have left
}

# What another user has in the same folder is not to be seen, nor in the way: neither what is alive nor what was killed. Only
# root can be two users
case_users() {
	local output
	local -r other=(setpriv --reuid 65534 --regid 65534 --clear-groups)

	need setpriv util-linux
	if [ "$(id -u)" != 0 ]; then
		echo "skipped: only root can be two users"
		exit "$SKIPPED"
	fi
	chmod 1777 "$TMPDIR"
	cp "$library" "$TMPDIR/library.so" # a user may not be let to where it was built
	export LD_PRELOAD=$TMPDIR/library.so
	"${other[@]}" python3 -c "$look
os.kill(os.getpid(), signal.SIGKILL)" || true
	"${other[@]}" ibv_asyncwatch >"$TMPDIR/watch" 2>&1 &
	until [ "$(find "$TMPDIR" -uid 65534 -name 'socket-0' | wc -l)" = 1 ]; do sleep 0.05; done
	output=$(ibv_devinfo)
	expect 'port_lid:.*7$' "$output"
	[ "$(stat -c '%a %u' "$TMPDIR/verbsx-emu-fabric.65534.default")" = "700 65534" ] || die "others may look in"
	kill $!
	wait $! || true
	mkdir "$TMPDIR/verbsx-emu-fabric.65534.default"
	output=$("${other[@]}" ibv_devinfo 2>&1)
	expect 'cannot join the fabric' "$output"
	expect 'PORT_ACTIVE' "$output"
	unset LD_PRELOAD
	rm -r "$TMPDIR"/{library.so,watch,verbsx-emu-fabric.65534.default}
}

# Leaks are looked for in what libibverbs and the device make before main() as well
case_lsan() {
	local output setting preload=("$(gcc -print-file-name=libasan.so)" "$library")

	for setting in NONE=1 VERBSX_EMU_CONFIG=link_layer=ethernet,ipv4=127.0.0.1,max_qp=100 VERBSX_EMU_TAP=/dev/null; do
		output=$(env LD_PRELOAD="${preload[*]}" "$setting" "$program" 2>&1) || die "$setting: $output"
		[ "$output" = opened ] || die "$setting: $output"
	done
}

# As shells end
case_exit() {
	emulated python3 -c "$look
os._exit(0)"
}

# A program's own handlers are its own: Python makes an exception of SIGINT
case_handlers() {
	local output

	output=$(emulated python3 -c "$look
try:
	os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
	print('interrupted')")
	[ "$output" = interrupted ] || die "$output"
}

"case_$1"
[ -z "$(ls -A "$TMPDIR")" ] || die "left behind: $(ls "$TMPDIR")"
