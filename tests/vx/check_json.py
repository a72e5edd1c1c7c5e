# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""One ctest case of what vx prints with --json: check_json.py CASE VX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

VX = sys.argv[2]


def output(command: list[str], status: int, environment: dict[str, str]) -> Any:
    """What a command prints, as data; a key that stands twice in an object is an error."""
    done = subprocess.run(command, capture_output=True, env={**os.environ, **environment})
    assert done.returncode == status, f"{command}: exit status {done.returncode}: {done.stderr.decode()}"
    return json.loads(done.stdout, object_pairs_hook=without_doubles)


def vx(command: str, *arguments: str, status: int = 0, **environment: str) -> Any:
    return output([VX, command, "--json", *arguments], status, environment)


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key stands twice: {keys}"
    return dict(pairs)


def emulated(*arguments: str, status: int = 0, **environment: str) -> Any:
    return output([VX, "emu", "--", VX, *arguments, "--json"], status, environment)


def equal(found: Any, wanted: Any) -> None:
    assert found == wanted, f"{found!r} is not {wanted!r}"


def case_explain() -> None:
    equal(vx("explain", "IBV_WC_RETRY_EXC_ERR")["text"], "IBV_WC_RETRY_EXC_ERR")
    [status] = vx("explain", "IBV_WC_RETRY_EXC_ERR")["matches"]
    equal(set(status), {"kind", "name", "enum", "value", "says", "causes", "remedy", "since", "page"})
    equal((status["kind"], status["enum"], status["value"]), ("enumerator", "ibv_wc_status", 12))
    [struct] = vx("explain", "ibv_sge")["matches"]
    equal([field["name"] for field in struct["fields"]], ["addr", "length", "lkey"])
    equal([field["offset"] for field in struct["fields"]], [0, 8, 12])
    [field] = vx("explain", "ibv_port_attr.active_speed")["matches"]
    assert {"value": 32, "text": "25.0 Gb/s"} in field["values"], field
    [everywhere] = vx("explain", "max_sge")["matches"]
    assert "ibv_srq_attr.max_sge" in [field["name"] for field in everywhere["fields"]], everywhere
    [call] = vx("explain", "ibv_query_port_speed")["matches"]
    equal((call["since"], call["version"]), (62, "IBVERBS_1.16"))
    [first, others] = vx("explain", "RC")["matches"]
    equal((first["name"], others["kind"]), ("IBV_QPT_RC", "others"))
    equal([(row["kind"], row["name"]) for row in others["others"]], [("enumerator", "IB_UVERBS_QPT_RC")])
    [errno] = vx("explain", "ENOMEM")["matches"]
    equal(errno["value"], 12)
    [number] = vx("explain", "12")["matches"]
    equal(number["readings"][0]["name"], "ENOMEM")


def case_explain_flags() -> None:
    [word] = vx("explain", "ibv_access_flags", "0x40100007")["matches"]
    equal((word["kind"], word["enum"], word["value"]), ("value", "ibv_access_flags", 0x40100007))
    flags = {flag["value"]: flag.get("name") for flag in word["flags"]}
    equal(flags[0x100000], "IBV_ACCESS_RELAXED_ORDERING")
    equal(flags[0x40000000], None)
    equal(sum(flags), 0x40100007)
    [word] = vx("explain", "ibv_access_flags", "0xffffffffffffffff")["matches"]
    equal(word["value"], str(2**64 - 1))  # many readers keep 53 bits of a number
    equal(sum(int(flag["value"]) for flag in word["flags"]), 2**64 - 1)
    equal(type(word["flags"][0]["value"]), int)


def case_explain_absent() -> None:
    found = vx("explain", "IBV_WC_SUCESS", status=1)
    equal(found["matches"], [])
    equal(found["closest"][0], "IBV_WC_SUCCESS")
    equal(vx("explain", "no_such_enum_x", "12", status=1)["matches"], [])
    equal(vx("explain", "ibv_wc_status", "SUCESS", status=1)["error"]["code"], -22)


def case_devices() -> None:
    equal(emulated("devices"), {"devices": [{
        "name": "mlx5_0", "node": "uverbs0", "node_type": {"value": 1, "name": "IBV_NODE_CA"},
        "transport_type": {"value": 0, "name": "IBV_TRANSPORT_IB"}, "node_guid": "0002:c903:00a1:b2c3",
    }]})


def case_devinfo() -> None:
    [device] = emulated("devinfo")["devices"]
    [named] = emulated("devinfo", "-v", "mlx5_0")["devices"]
    for one in (device, named):  # an address, another one in each process
        one["mlx5dv_context"].pop("hca_core_clock")
    equal(named, device)
    equal(device["device_attr"]["orig_attr"]["phys_port_cnt"], 1)
    assert "IBV_DEVICE_XRC" in device["device_attr"]["orig_attr"]["device_cap_flags"]["names"]
    assert "MLX5DV_CONTEXT_FLAGS_CQE_V1" in device["mlx5dv_context"]["flags"]["names"]
    equal(device["node_type"], {"value": 1, "name": "IBV_NODE_CA"})
    equal(device["transport_type"], {"value": 0, "name": "IBV_TRANSPORT_IB"})
    [port] = device["ports"]
    assert isinstance(port.get("speed_mbps", ""), str), port  # of 64 bits; not every release asks for it
    equal(port["name"], "1")
    equal(port["port_attr"]["active_speed"], {"value": 32, "text": "25.0 Gb/s"})
    equal(port["gids"], [{"gid_index": 0, "gid": "fe80::2:c903:a1:b2c4",
                          "gid_type": {"value": 0, "name": "IBV_GID_TYPE_IB"}}])
    equal(port["pkeys"], [{"pkey_index": 0, "pkey": 0xFFFF}])


def case_gids() -> None:
    [device] = emulated("gids", VERBSX_EMU_CONFIG="link_layer=ethernet,ipv4=127.0.0.1")["devices"]
    equal(device["name"], "mlx5_0")
    [port] = device["ports"]
    equal(port["name"], "1")
    equal([gid["taken"] for gid in port["gids"]], [False, False, False, True])
    equal(port["gids"][3], {
        "gid_index": 3, "gid": "::ffff:127.0.0.1", "gid_type": {"value": 2, "name": "IBV_GID_TYPE_ROCE_V2"}, "netdev": "lo",
        "taken": True, "why": "the only one of RoCE v2, IPv4",
    })
    [device] = emulated("gids", status=1, VERBSX_EMU_FAULT="query_gid_table#1-:EIO")["devices"]
    equal(device["ports"][0]["gids"], [])
    equal(device["ports"][0]["error"]["code"], -5)


def case_ports() -> None:
    [port] = emulated("ports", "7")["ports"]
    equal(port, {
        "device": "mlx5_0", "port": 1, "link_layer": {"value": 1, "name": "IBV_LINK_LAYER_INFINIBAND"},
        "state": {"value": 4, "name": "IBV_PORT_ACTIVE"}, "lid": 7, "sm_lid": 1, "node_guid": "0002:c903:00a1:b2c3",
        "port_guid": "0002:c903:00a1:b2c4", "gid": "fe80::2:c903:a1:b2c4", "gids": 1, "netdev": "emuib0",
    })
    equal(emulated("ports", "8", status=1)["error"]["code"], -19)


def case_no_device() -> None:
    with tempfile.TemporaryDirectory() as sysfs:
        for command in ("devices", "devinfo"):
            equal(vx(command, status=1, SYSFS_PATH=sysfs)["error"]["code"], -38)
        os.makedirs(f"{sysfs}/class/infiniband_verbs")
        for command in ("devices", "devinfo"):
            found = vx(command, status=1, SYSFS_PATH=sysfs)
            equal((found["devices"], found["error"]["code"]), ([], -19))


def has_error(data: Any) -> bool:
    if isinstance(data, dict):
        return "error" in data or any(map(has_error, data.values()))
    return isinstance(data, list) and any(map(has_error, data))


def failing(call: str, number: int) -> bool:
    """Whether devinfo failed, where the device fails a call: in its exit status and in what it prints alike."""
    done = subprocess.run([VX, "emu", "--", VX, "devinfo", "--json"], capture_output=True,
                          env={**os.environ, "VERBSX_EMU_FAULT": f"{call}#{number}:EIO"})
    data = json.loads(done.stdout, object_pairs_hook=without_doubles)
    equal(has_error(data), done.returncode == 1)
    return done.returncode == 1


def case_failing_device() -> None:
    for call in ("query_port", "query_gid_table", "query_device", "async_alloc"):
        assert any([failing(call, number) for number in range(1, 5)]), f"{call} never failed"


def case_api() -> None:
    api = vx("api")
    assert api["headers"] >= 33 and api["link_mode"] in ("loader", "direct"), api
    names = vx("api", "--names")["names"]
    assert api["enums"] + api["enumerators"] + api["structs"] + api["functions"] + api["errnos"] + api["own"] + api["counters"] == len(names)
    assert api["fields"] > 1000
    libraries = {row["library"]: row for row in api["libraries"]}
    assert libraries["libibverbs.so.1"]["functions"] > 50
    equal(libraries["libibverbs.so.1"]["release"], api["running"])


def case_names() -> None:
    names = vx("api", "--names")["names"]
    assert all(isinstance(name, str) and name for name in names)
    assert {"ibv_wc_status", "IBV_WC_SUCCESS", "ibv_sge", "ibv_open_device", "EINVAL"} <= set(names)


def case_lines() -> None:
    text = "timeout 14\n\nFailed status 12: wr_id 0 syndrom 0x81\nnothing of it\nQP\n\"a\tb\\\nIBV_QPT_RC\nibv_port_attr\n"
    done = subprocess.run([VX, "explain", "-", "--json"], input=text.encode(), capture_output=True)
    found = [json.loads(line, object_pairs_hook=without_doubles) for line in done.stdout.decode().splitlines()]
    equal([row["text"] for row in found], [line for line in text.splitlines() if line])
    for row in found:
        equal(row["matches"], vx("explain", "--", row["text"], status=0 if row["matches"] else 1)["matches"])
    equal(sum(bool(row["matches"]) for row in found), 5)


def case_strange_text() -> None:
    for text in ('"', "\\", "a\tb\n", "\x7f", "ä", "\udcff", "\udce4x", "x" * 5000, "a|b", "|", "--", "0x", "%s%n"):
        found = vx("explain", "--", text, status=1)
        equal(found["text"], os.fsencode(text).decode("utf-8", "replace"))


def main() -> None:
    case: Callable[[], None] = globals()[f"case_{sys.argv[1]}"]
    case()


main()
