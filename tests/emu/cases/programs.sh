#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Programs that are not tests of ours, and what libmlx5 builds.
# shellcheck disable=SC2154 # check.sh, which sources this, has the variables

# Whether it still runs; its figures are for people, as a test of time fails on a busy machine.
# A message costs one process 700 to 1000 multiplications, each of which waits for the one before it, at whatever load
case_bench() {
	local output cost

	output=$(emulated "$program") || die "failed: $output"
	echo "$output"
	expect '^rate ' "$output"
	expect '^idle ' "$output"
	cost=$(sed -n 's/^cost \([0-9]*\) multiplications a message$/\1/p' <<<"$output")
	((cost > 0 && cost < 2000)) || die "a message costs as much as $cost multiplications"
}

case_devinfo() {
	need ibv_devinfo ibverbs-utils
	expect 'PORT_ACTIVE' "$(emulated ibv_devinfo -v)"
}

case_devices() {
	need ibv_devices ibverbs-utils
	expect 'mlx5_0.*0002c90300a1b2c3' "$(emulated ibv_devices)"
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

# upstream COLUMN CONFIGURATION TESTS [--some | PATTERN]
upstream() {
	local output

	# Half of the time would go into clearing the largest CQs that there may be
	output=$(emulated VERBSX_EMU_CONFIG="one_host=on,ipv4=127.0.0.1,lag=on,max_cqe=4095,$2" \
		/usr/bin/python3 "$here/upstream.py" "$1" "${@:3}") ||
		die "$output"
	tail -n 1 <<<"$output"
}

# rdma-core's own Python tests, on a port of either kind; keys come to a device either wrapped or not. Of those that run on both kinds,
# some run on the second by default
case_upstream() {
	local tests

	[ -e /usr/lib/python3/dist-packages/pyverbs/__init__.py ] || die "install python3-pyverbs"
	tests=$(upstream_tests)
	upstream infiniband crypto=wrapped "$tests"
	upstream ethernet link_layer=ethernet,crypto=wrapped "$tests" --some
	upstream plaintext crypto=plaintext "$tests" crypto
	rm -rf "$TMPDIR"/*pyverbs*
}

case_upstream_long() {
	local tests

	tests=$(upstream_tests)
	upstream ethernet link_layer=ethernet,crypto=wrapped "$tests"
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
	leaks_beside_librdmacm
}

# librdmacm never closes the context that it opens: no program has left that. What a program has opened itself is another.
leaks_beside_librdmacm() {
	local output

	output=$(emulated VERBSX_EMU_LEAKS=all "$python" -c "$open_devices" librdmacm)
	expect "context 0 is librdmacm's, which keeps it until the program ends$" "$output"
	expect 'leaked 0 objects$' "$output"
	output=$(emulated VERBSX_EMU_LEAKS=all "$python" -c "$open_devices" librdmacm itself)
	expect 'leaked context 1$' "$output"
	expect 'leaked 1 object: 1 context$' "$output"
}

# As librdmacm and as the program itself, whichever it is told
readonly open_devices='
import ctypes, sys
verbs = ctypes.CDLL("libibverbs.so.1")
verbs.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)
verbs.ibv_open_device.argtypes = [ctypes.c_void_p]
if "librdmacm" in sys.argv:
    cm = ctypes.CDLL("librdmacm.so.1")
    cm.rdma_get_devices(None)
if "itself" in sys.argv:
    verbs.ibv_open_device(verbs.ibv_get_device_list(None)[0])'

# The WQEs of libmlx5, by QP type; with other data none of the files may fit
case_wqe() {
	local wqes=$TMPDIR/wqes type
	local -A config=([raw]=link_layer=ethernet [guarded]=crypto=plaintext)

	for type in rc uc ud xrc dci raw guarded; do
		export VERBSX_EMU_CONFIG=${config[$type]:-}
		echo '# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB' >"$wqes"
		emulated "$program" "$type" >>"$wqes" || die "$type: $(tail -1 "$wqes")"
		golden "wqe-$type.txt" "$wqes"
		emulated "$program" "$type" 17 >"$wqes"
		! (GOLDEN_WRITE='' golden "wqe-$type.txt" "$wqes") >/dev/null 2>&1 ||
			die "wqe-$type.txt fits other WQEs"
	done
	unset VERBSX_EMU_CONFIG
	rm "$wqes"
}

# What programs look for that do not ask SYSFS_PATH, as UCX does
case_sysfs() {
	export VERBSX_EMU_CONFIG=link_layer=ethernet,ipv4=127.0.0.1
	emulated "$python" - <<-'END'
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
