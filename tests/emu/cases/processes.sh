#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The process: how it begins, forks and ends, and others beside it.
# shellcheck disable=SC2154 # check.sh, which sources this, has the variables

# What makes Python look for devices, upon which there is something to clean up
readonly look='import ctypes, os, signal
ctypes.CDLL("libibverbs.so.1").ibv_get_device_list(None)
assert os.listdir(os.environ["TMPDIR"])'

# The default actions of signals still end a program, and clean up before
case_signals() {
	local sig number status

	for sig in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU XFSZ VTALRM PROF \
		IO PWR SYS RTMIN RTMAX; do
		number=$(kill -l "$sig") || die "the shell knows no signal $sig"
		status=0
		emulated "$python" -c "$look
signal.signal(signal.SIG$sig, signal.SIG_DFL)
assert signal.getsignal(signal.SIG$sig) == signal.SIG_DFL
os.kill(os.getpid(), signal.SIG$sig)" || status=$?
		[ "$status" = "$((128 + number))" ] || die "$sig: exit status $status"
		[ -z "$(ls -A "$TMPDIR")" ] || die "$sig: left behind: $(ls "$TMPDIR")"
	done
}

# Python with two threads and the device, of which strace holds up the first at some system call: held_up WHAT CODE
held_up() {
	strace -o /dev/null -e "trace=${1%%:*}" -e "inject=$1" env LD_PRELOAD="$library" "$python" -c "import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
$look
${2:-}
time.sleep(60)" &
}

nothing_is_left_of() {
	wait "$1" || true
	[ -z "$(ls -A "$TMPDIR")" ] || die "$2: left behind: $(ls "$TMPDIR")"
}

# Until a command succeeds, as long as there is a process: it_lives_until PID COMMAND...
it_lives_until() {
	local pid=$1

	shift
	until "$@"; do
		kill -0 "$pid" 2>/dev/null || "$@" || die "what was to be held up has ended, or strace may trace nothing here"
		sleep 0.02
	done
}

has_fabric() {
	compgen -G "$TMPDIR/verbsx-emu-fabric.*" >/dev/null
}

has_no_fabric() {
	! has_fabric
}

# timeout(1) sends a signal twice. The second one comes, to another thread, while there is a tree to be cleaned up after the first
case_signalled() {
	local tracer

	need strace strace
	held_up unlink:delay_enter=1000000:when=1 "open('$TMPDIR/ready', 'w')"
	tracer=$!
	it_lives_until "$tracer" test -e "$TMPDIR/ready"
	rm "$TMPDIR/ready"
	pkill -TERM -P "$tracer"
	it_lives_until "$tracer" has_no_fabric
	pkill -TERM -P "$tracer" || true
	nothing_is_left_of "$tracer" "the second signal"
	# Before there is a tree, when the fabric has just been made
	held_up mkdir:delay_exit=500000:when=1
	tracer=$!
	it_lives_until "$tracer" has_fabric
	pkill -TERM -P "$tracer"
	nothing_is_left_of "$tracer" "a signal while it looks for devices"
}

# Nothing can be done before SIGKILL; who comes next cleans up, but not after the living
case_killed() {
	local i

	emulated "$python" -c "$look
import time
while not os.path.exists('$TMPDIR/over'): time.sleep(0.05)" &
	for ((i = 0; i < 3; i++)); do
		emulated "$python" -c "$look
os.kill(os.getpid(), signal.SIGKILL)" || true
	done
	emulated "$python" -c "$look
trees = [name for name in os.listdir(os.environ['TMPDIR']) if 'sysfs' in name]
assert len(trees) == 2, trees"
	touch "$TMPDIR/over"
	wait
	rm "$TMPDIR/over"
}

# A context and a PD that another process has made, whose descriptor came by a socket: imported; but not where keys would not be told apart
case_imported() {
	local -r importer='import ctypes, os, socket, subprocess, sys
verbs = ctypes.CDLL("libibverbs.so.1", use_errno=True)
for name in "ibv_get_device_list", "ibv_open_device", "ibv_alloc_pd", "ibv_import_device", "ibv_import_pd":
	getattr(verbs, name).restype = ctypes.c_void_p
def imported(context, handle):
	pd = context and verbs.ibv_import_pd(ctypes.c_void_p(context), handle)
	return pd is not None or os.strerror(ctypes.get_errno())
if len(sys.argv) > 1:
	fd = socket.recv_fds(socket.socket(fileno=0), 1, 1)[1][0]
	context = verbs.ibv_import_device(fd)
	print(imported(context, int(sys.argv[1])), imported(context, int(sys.argv[1]) + 1))
	sys.exit()
first = ctypes.c_void_p.from_address(verbs.ibv_get_device_list(None))
def descriptors():
	return {n for n in os.listdir("/proc/self/fd") if "memfd:verbsx-emu" in os.path.realpath("/proc/self/fd/" + n)}
verbs.ibv_open_device(first)
before = descriptors()
context = verbs.ibv_open_device(first)
fd = int((descriptors() - before).pop())
handle = ctypes.c_uint32.from_address(verbs.ibv_alloc_pd(ctypes.c_void_p(context)) + 8).value
ours, theirs = socket.socketpair()
with subprocess.Popen([sys.executable, "-c", open("/proc/self/cmdline").read().split(chr(0))[2], str(handle)], stdin=theirs):
	socket.send_fds(ours, [b"x"], [fd])'
	local output

	output=$(emulated "$python" -c "$importer")
	[[ $output == "True No such file or directory" ]] || die "$output"
	output=$(emulated VERBSX_EMU_FABRIC=none "$python" -c "$importer")
	expect 'keys of there and of here are equal' "$output"
	expect '^Invalid argument Invalid argument$' "$output"
}

# Whoever looks first, parent or child
case_fork() {
	emulated "$python" -c 'import ctypes, os, sys

def devices():
	n = ctypes.c_int()
	ctypes.CDLL("libibverbs.so.1").ibv_get_device_list(ctypes.byref(n))
	return n.value

for _ in range(2):
	if not os.fork():
		sys.exit(devices() - 1)
	assert os.wait()[1] == 0
	assert devices() == 1'
	# What its parent has open a child has not left
	ends_strictly 0 VERBSX_EMU_LEAKS=1 "$python" -c 'import ctypes, os
verbs = ctypes.CDLL("libibverbs.so.1")
for name in "ibv_get_device_list", "ibv_open_device", "ibv_alloc_pd":
	getattr(verbs, name).restype = ctypes.c_void_p
def made():
	context = ctypes.c_void_p(verbs.ibv_open_device(ctypes.c_void_p.from_address(verbs.ibv_get_device_list(None))))
	return context, ctypes.c_void_p(verbs.ibv_alloc_pd(context))
def ended(context, pd):
	assert not verbs.ibv_dealloc_pd(pd) and not verbs.ibv_close_device(context)
ours = made()
if not os.fork():
	ended(*made())
	raise SystemExit
assert os.wait()[1] == 0
ended(*ours)'
}

# Whether rping, as a client, had its answers. A thread of it may come back to a channel that its main thread has closed, as in programs.sh
pinged() {
	local status=0

	emulated rping -c -a 127.0.0.1 -p 7999 "$@" >"$TMPDIR/client" 2>&1 || status=$?
	((status == 0)) || { grep -q 'client DISCONNECT EVENT' "$TMPDIR/client" && grep -q 'rdma_get_cm_event: Bad file descriptor' "$TMPDIR/client"; }
}

# Until a server listens, which it does some time after it has its port: who comes between is rejected
listens() {
	until grep -qs 'cm_listen .*-> 0' "$TMPDIR/server"; do
		kill -0 "$1" || die "the server has ended: $(cat "$TMPDIR/server")"
		sleep 0.05
	done
}

# Processes that are one host: they have the same addresses, and each port number once
case_one_host() {
	local link output server refused

	need rping rdmacm-utils
	for link in infiniband ethernet; do
		export VERBSX_EMU_CONFIG=link_layer=$link,one_host=on,ipv4=127.0.0.1
		output=$(emulated "$program" --jobs 2 --filter '@(process/*|fabric/!(they_have_addresses_of_their_own))') || die "on $link: $output"
		expect 'Passing: [1-9][0-9]* | Failing: 0 | Crashing: 0' "$output"
		[ "$(emulated ls /sys/class/infiniband/mlx5_0/device/net/)" = lo ] || die "no network interface"
		env VERBSX_EMU_TRACE=1 LD_PRELOAD="$library" rping -s -P -a 127.0.0.1 -p 7999 >"$TMPDIR/server" 2>&1 &
		server=$!
		listens "$server"
		pinged -C 3 || die "on $link: no connection: $(cat "$TMPDIR/client")"
		refused=$(emulated rping -s -a 127.0.0.1 -p 7999 || true)
		expect 'Address already in use' "$refused"
		kill -KILL "$server"
		wait "$server" || true
		env LD_PRELOAD="$library" rping -s -a 127.0.0.1 -p 7999 >"$TMPDIR/server" 2>&1 &
		server=$!
		until pinged -C 1; do
			kill -0 "$server" || die "what the dead had is not free: $(cat "$TMPDIR/server")"
		done
		wait "$server" || grep -q 'rdma_get_cm_event: Bad file descriptor' "$TMPDIR/server" || die "the server: $(cat "$TMPDIR/server")"
		rm "$TMPDIR/server" "$TMPDIR/client"
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
	"${other[@]}" "$python" -c "$look
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

# However a program has found the functions of libibverbs, the device's work is done while it polls, and the device is libmlx5's
case_loaded() {
	local output i

	for i in 1 2 3; do # where others have the core, it is tried again
		output=$(emulated VERBSX_EMU_LEAKS=1 "$program") && break
	done
	[ "$(grep -c 'soon there' <<<"$output")" = 2 ] || die "$output"
	[ "$(grep -c '^of libmlx5' <<<"$output")" = 2 ] || die "$output"
	expect 'leaked 0 objects' "$output"
	! grep failed <<<"$output" || die "three times"
}

# As shells end
case_exit() {
	emulated "$python" -c "$look
os._exit(0)"
}

# A program's own handlers are its own: Python makes an exception of SIGINT
case_handlers() {
	local output

	output=$(emulated "$python" -c "$look
try:
	os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
	print('interrupted')")
	[ "$output" = interrupted ] || die "$output"
}
