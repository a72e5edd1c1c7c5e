# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Printed values against the bytes that they come from, read where and as DWARF says."""

from __future__ import annotations

import codecs
import ipaddress
import json
import re
import struct
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .model import Place, Witness

HEX = re.compile(r"0x[0-9a-f]+")
SENTINEL = re.compile(r"_(MAX|LAST|RESERVED\w*)$")  # the name of no value
DIGITS = re.compile(r"-?[0-9]+")

# In network order, though their types do not say so: what is compared with packets, and what hardware writes.
NETWORK_ORDER = {
    "ibv_flow_esp_filter.seq", "ibv_flow_esp_filter.spi", "ibv_flow_eth_filter.ether_type",
    "ibv_flow_eth_filter.vlan_tag", "ibv_flow_gre_filter.c_ks_res0_ver", "ibv_flow_gre_filter.key",
    "ibv_flow_gre_filter.protocol", "ibv_flow_ipv6_filter.flow_label", "ibv_flow_mpls_filter.label",
    "ibv_flow_tcp_udp_filter.dst_port", "ibv_flow_tcp_udp_filter.src_port",
    "ibv_flow_tunnel_filter.tunnel_id", "mlx4_err_cqe.vlan_my_qpn", "mlx4_err_cqe.wqe_index",
    "mlx5_err_cqe.s_wqe_opcode_qpn", "mlx5_err_cqe.srqn", "mlx5_err_cqe.wqe_counter",
    "mlx5_wqe_inl_data_seg.byte_count",
}
# Signed, but flags, an enum, a code, a truth value or an offset for mmap(2): no negative number has a meaning there.
NEVER_NEGATIVE = {
    "ibv_mr_init_attr.access", "ibv_ops_wr.flags", "ibv_qp_init_attr.sq_sig_all",
    "ibv_qp_init_attr_ex.sq_sig_all", "ibv_sa_mcmember_rec.proxy_join", "ibv_sa_path_rec.raw_traffic",
    "ibv_sa_path_rec.reversible", "ibv_xrcd_init_attr.oflags", "mlx4dv_qp.uar_mmap_offset",
    "mlx5dv_devx_uar.mmap_off", "mlx5dv_qp.uar_mmap_offset", "mlx5dv_var.mmap_off",
    "rdma_addrinfo.ai_family", "rdma_addrinfo.ai_flags", "rdma_addrinfo.ai_port_space", "rdma_addrinfo.ai_qp_type",
    "vx_mr_change.access", "vx_mr_init.access", "vx_path.access", "vx_pool_init.access", "vx_xrcd_init.oflags",
}
# Key material: of its bytes nothing is to be seen.
SECRET = {
    "ibv_flow_action_esp_keymat_aes_gcm.aes_key", "ibv_flow_action_esp_keymat_aes_gcm.salt",
    "ibv_sa_service_rec.key", "mlx5dv_crypto_attr.keytag", "mlx5dv_crypto_login_attr.credential",
    "mlx5dv_dek_init_attr.key", "toy_key.bytes", "vx_mlx5_dek_init.key",
}


class Checker:
    """Goes through documents and counts the values that it could judge."""

    def __init__(self, headers: Witness) -> None:
        self.records = headers.records
        self.names: dict[str, int] = {}
        self.named = {tag: {row.value % 2**64 for name, row in values.items() if not SENTINEL.search(name)} for tag, values in headers.enums.items()}
        self.checked: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.signed = {tag for tag, values in headers.enums.items()
                       if any(row.value >> 63 for row in values.values())}
        for values in [*headers.enums.values(), *headers.unnamed, headers.macros]:
            self.names |= {name: row.value for name, row in values.items()}

    def line(self, text: str) -> Iterator[str]:
        """What is wrong with a line of show.c: TAG BYTES JSON."""
        tag, data, document = text.split(" ", 2)
        whole = Place(0, self.records[tag].size, what="record", tag=tag)
        yield from self._item(tag, whole, bytes.fromhex(data), json.loads(document))

    def _record(self, tag: str, path: str, data: bytes, shown: dict[str, Any]) -> Iterator[str]:
        """The members of a record, or of an unnamed one in it; data begins with the record."""
        for name, value in shown.items():
            place = self.records[tag].fields[path + name]
            is_array = place.count is not None and isinstance(value, list)
            size = place.size if is_array else place.size * (place.count or 1)
            for index, item in enumerate(value if is_array else [value]):
                start = index * size
                if place.what == "record" and not place.tag and isinstance(item, dict):
                    yield from self._record(tag, f"{path}{name}.", data[start:], item)
                else:
                    start += place.offset
                    yield from self._item(f"{tag}.{path}{name}", place, data[start:start + size], item)

    def _item(self, name: str, place: Place, data: bytes, shown: Any) -> Iterator[str]:
        if place.what == "record" and isinstance(shown, dict) and place.tag != "timespec":
            yield from self._record(place.tag, "", data, shown)
        else:
            yield from self._value(name, place, data, shown)

    def _value(self, name: str, place: Place, data: bytes, shown: Any) -> Iterator[str]:
        if isinstance(shown, dict) and shown.get("name", "") is None and self._has_name(name, place, data):
            yield f"{name}: {data.hex()} prints without its name"
        views = _views(shown) if isinstance(shown, dict) else [shown]
        for view in views:
            kind = f"{place.what} as {type(view).__name__}"
            agrees = self._agrees(name, place, data, view)
            (self.left if agrees is None else self.checked)[kind] += 1
            if agrees is False:
                yield f"{name}: {data.hex()} prints as {view!r}"

    def _has_name(self, name: str, place: Place, data: bytes) -> bool:
        """Whether a value is that of an enumerator; 0 may stand for another."""
        number = self._number(name, place, data)
        return number != 0 and number % 2**64 in self.named.get(place.tag, ())

    def _agrees(self, name: str, place: Place, data: bytes, shown: Any) -> bool | None:
        """Whether a value is what the bytes say; None where that cannot be told."""
        if name in SECRET:
            return shown == f"<{len(data)} bytes>"
        if place.tag.startswith("sockaddr"):
            return None
        if place.tag == "timespec":
            return (shown["tv_sec"], shown["tv_nsec"]) == tuple(map(str, struct.unpack("<qq", data)))
        number = self._number(name, place, data)
        match shown:
            case None:
                return number == 0
            case bool():
                return shown == (number != 0)
            case int():
                return shown == number
            case str() if place.size == 8 and place.what != "record" and DIGITS.fullmatch(shown):
                return int(shown) == number
            case list():
                return number in (self._set(shown), self._bitmap(shown))
            case "set":
                return place.what == "pointer" and number != 0
            case str() if shown in self.names:
                return (self.names[shown] - number) % 256**place.size == 0
            case str() if all(word in self.names or HEX.fullmatch(word) for word in shown.split("|")):
                return number == self._set(shown.split("|"))
        return _is_bytes(data, shown)

    def _number(self, name: str, place: Place, data: bytes) -> int:
        """The number in a place; an enum is signed where an enumerator is negative."""
        big = place.big or name in NETWORK_ORDER
        signed = (place.what == "signed" and name not in NEVER_NEGATIVE) or place.tag in self.signed
        return int.from_bytes(data[:place.size], "big" if big else "little", signed=signed)

    def _set(self, shown: list[str]) -> int:
        """Names of flags and what has no name."""
        return sum(self._word(word) for word in shown)

    def _word(self, word: str) -> int:
        return self.names[word] if word in self.names else int(word, 16)

    def _bitmap(self, shown: list[str]) -> int:
        """Names of values, for each of which one bit stands; -1: they are none."""
        if any(self.names.get(word, 0) >= 64 for word in shown):
            return -1
        return sum(1 << self.names[word] if word in self.names else int(word, 16) for word in shown)


def _views(shown: dict[str, Any]) -> list[Any]:
    """The ways in which an object tells one value."""
    if "tv_sec" in shown:
        return [shown]
    if "names" in shown:
        return [shown["value"], [*shown["names"], *([hex(int(shown["unknown"]))] if int(shown["unknown"]) else [])]]
    if "address" in shown:
        return [shown["address"]]
    return [shown[key] for key in ("value", "name") if shown.get(key) is not None]


def _itself(error: UnicodeError) -> tuple[str, int]:
    """A byte that is not UTF-8 as the character of that number."""
    assert isinstance(error, UnicodeDecodeError)
    return chr(error.object[error.start]), error.start + 1


codecs.register_error("verbsx-itself", _itself)


def _text(data: bytes) -> str:
    """Bytes as text up to a NUL."""
    return data.split(b"\0")[0].decode(errors="verbsx-itself")


def _is_bytes(data: bytes, shown: str) -> bool:
    """Whether a text is the bytes in hexadecimal, the text in them, or the address that they are."""
    if shown in (data.hex(), _text(data)) or shown.replace(":", "") == data.hex():
        return True
    try:
        return ipaddress.ip_address(shown).packed == data
    except ValueError:
        return False
