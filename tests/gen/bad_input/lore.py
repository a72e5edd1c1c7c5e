# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Lore with one thing wrong: each key of each table with a value of another type, empty, misspelt, twice; each name that it refers to misspelt."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gen.files import tomlfile

Keys = tuple[Any, ...]
OTHERS: tuple[Any, ...] = (7, True, 1.5, "", [], {}, [7], {"no_such": 7})
# Where TOML's other types are right as well.
ALSO: dict[tuple[str, ...], tuple[type, ...]] = {
    ("limit",): (int, str), ("default", "*"): (int, str, bool), ("object", "create"): (list, str), ("object", "needs"): (list, dict),
    ("object", "destroy_of"): (list, str), ("choice", "*"): (list, str),
}
# What may be empty, and what any text or number will do for.
EMPTY = {("default",), ("number",), ("man",), ("guard", "*"), ("flow", "takes"), ("exclude", "*"), ("transition", "*", "[]"), ("object", "shows"),
         ("object", "args"), ("object", "create", "[]", "args"), ("wr", "into")}
ANY_TEXT = {("object", key) for key in ("title", "busy", "note", "crashes", "bare")} | {
    (table, "note") for table in ("enum", "struct", "field", "call")} | {("source", "allows"), ("source", "has"), ("called",), ("code", "*"), ("form",), ("counting",), ("unasked",), ("none",), ("method",), ("says",), ("unlisted",), ("instead",), ("skip",), ("own", "title"), ("vendor_err", "where"), ("handshake", "says"), ("handshake", "comes")}
ANY_NUMBER = {("limit",), ("default", "*"), ("unit",), ("flow", "bits", "*"), ("object", "create", "[]", "since"), ("mend", "before"), ("path",), ("handshake", "bytes")}
# What may be false, and says something then.
UNTRUE = {("parameter", "out"), ("parameter", "optional"), ("flow", "inner"), ("default", "*")}
# Tables whose entries have keys that mean something; in others a key is a name of the API, or free.
WITH_KEYS = ("wr", "wr_set", "inline", "mend", "object", "own", "query", "flow", "parameter", "field", "struct", "enum", "meaning", "errno", "name", "call", "source", "message", "explain", "vendor_err", "handshake")
NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*")


class Damage(NamedTuple):
    """An entry in place of one that is there, in a file and its table."""

    name: str
    path: Path
    table: str
    key: str
    value: Any
    was: str  # the key that it had
    line: int
    words: str = ""


def parts(value: Any, keys: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    yield keys, value
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts(part, (*keys, key))


def shape(table: str, keys: Keys) -> tuple[str, ...]:
    """A place in an entry, whatever the names are that it has."""
    out = [table]
    for depth, key in enumerate(keys):
        named = table in WITH_KEYS and (depth == 0 or isinstance(keys[depth - 1], int))
        out.append("[]" if isinstance(key, int) else key if named else "*")
    return tuple(out)


def changed(entry: Any, keys: Keys, value: Any) -> Any:
    if not keys:
        return value
    out = copy.deepcopy(entry)
    at(out, keys[:-1])[keys[-1]] = value
    return out


def renamed(entry: Any, keys: Keys, name: str) -> Any:
    """With the last of the keys under another name, and in its place."""
    out = copy.deepcopy(entry)
    owner = at(out, keys[:-1])
    items = [(name if key == keys[-1] else key, value) for key, value in owner.items()]
    owner.clear()
    owner.update(items)
    return out


def at(entry: Any, keys: Keys) -> Any:
    for key in keys:
        entry = entry[key]
    return entry


class Samples:
    """All places of committed lore, one of each shape and type, and what damages there are of each."""

    def __init__(self, documents: list[tomlfile.Document], names: set[str]) -> None:
        self.documents = documents
        self.names = names  # that the API has

    def __iter__(self) -> Iterator[tuple[tomlfile.Document, str, str, Keys, Any]]:
        seen = set()
        for doc in self.documents:
            for table, entries in doc.data.items():
                for key, entry in entries.items():
                    for keys, value in parts(entry):
                        kind = (shape(table, keys), type(value), isinstance(value, str) and self.is_name(value))
                        if kind not in seen:
                            seen.add(kind)
                            yield doc, table, key, keys, entry

    def is_name(self, text: str) -> bool:
        return NAME.fullmatch(text) is not None and text in self.names

    def _damage(self, what: str, doc: tomlfile.Document, table: str, key: str, keys: Keys, value: Any, words: str = "", name: str = "") -> Damage:
        """On the line of the first of its keys that has one."""
        line = doc.line(f"{table}.{key}", keys[0]) if keys and isinstance(keys[0], str) else doc.line(table, key)
        return Damage(f"{doc.path.name}: [{table}] {key} {list(keys)}: {what}", doc.path, table, name or key, value, key, line or 0, words)

    def other_types(self) -> Iterator[Damage]:
        for doc, table, key, keys, entry in self:
            place, value = shape(table, keys), at(entry, keys)
            fine = ALSO.get(place, (type(value),))
            for other in OTHERS:
                if type(other) not in fine or type(other) in (list, dict) and other and type(value) is type(other):
                    words = "must be " if type(other) not in fine and other != [] else ""
                    yield self._damage(f"is {other!r}", doc, table, key, keys, changed(entry, keys, other), words)

    def empty(self) -> Iterator[Damage]:
        for doc, table, key, keys, entry in self:
            value, place = at(entry, keys), shape(table, keys)
            if isinstance(value, (str, list, dict)) and place not in EMPTY:
                yield self._damage("is empty", doc, table, key, keys, changed(entry, keys, type(value)()))

    def no_sense(self) -> Iterator[Damage]:
        """Texts that are no name, no path, no condition and no sentence."""
        for doc, table, key, keys, entry in self:
            place = shape(table, keys)
            if isinstance(at(entry, keys), str) and not any(place[:n] in ANY_TEXT for n in range(1, len(place) + 1)):
                yield self._damage("makes no sense", doc, table, key, keys, changed(entry, keys, "; } no sense {"))

    def untrue(self) -> Iterator[Damage]:
        """What has a meaning only where it is so."""
        for doc, table, key, keys, entry in self:
            if at(entry, keys) is True and shape(table, keys) not in UNTRUE:
                yield self._damage("is false", doc, table, key, keys, changed(entry, keys, False), "must be true, or not be there")

    def blank(self) -> Iterator[Damage]:
        """What the report proposes, and nobody has completed."""
        for doc, table, key, keys, entry in self:
            if isinstance(at(entry, keys), str):
                for text in ("...", "?"):
                    yield self._damage(f"is {text}", doc, table, key, keys, changed(entry, keys, text), f"{text!r}: still the blank of the report's proposal")

    def odd(self) -> Iterator[Damage]:
        """Letters that neither comments of C nor packed texts can have."""
        for number, (doc, table, key, keys, entry) in enumerate(self):
            if isinstance(at(entry, keys), str):
                letter = ("\xe4", "\n", "\x07", "\x00", "\u2026", "??/")[number % 6]
                yield self._damage(f"has {letter!r}", doc, table, key, keys, changed(entry, keys, f"{letter} {at(entry, keys)}"),
                                   f"has {letter!r}, which no text here may have")

    def of_others(self) -> Iterator[Damage]:
        """An enumerator that another enum has."""
        doc = next(d for d in self.documents if "event" in d.data)
        key = list(doc.data["event"])[-1]
        yield self._damage("is no event", doc, "event", key, (), doc.data["event"][key], "IBV_QPS_RTS: is of enum ibv_qp_state, and IBV_EVENT_", name="IBV_QPS_RTS")

    def misspelt(self) -> Iterator[Damage]:
        """Each key, and each name of the API."""
        for doc, table, key, keys, entry in self:
            value = at(entry, keys)
            if keys and isinstance(keys[-1], str) and (shape(table, keys)[-1] != "*" or self.is_name(keys[-1])):
                yield self._damage("misspelt", doc, table, key, keys[:-1], renamed(entry, keys, f"{keys[-1]}_x"))
            if isinstance(value, str) and self.is_name(value) and shape(table, keys) not in ANY_TEXT:
                yield self._damage(f"{value} misspelt", doc, table, key, keys, changed(entry, keys, f"{value}_x"), f"{value}_x")
            if not keys and self.is_name(key):
                yield self._damage("key misspelt", doc, table, key, (), entry, f"{key}_x", name=f"{key}_x")

    def other_things(self) -> Iterator[Damage]:
        """What is there, and is not what is meant."""
        for table, key, keys, value, words in OTHER_THINGS:
            doc = next((d for d in self.documents if key in d.data.get(table, {})), None)
            if doc:
                yield self._damage(f"is {value!r}", doc, table, key, keys, changed(doc.data[table][key], keys, value), words)
            else:  # of what lore says nothing yet: in the first place of a table that has others
                doc = next(d for d in self.documents if table in d.data)
                was = next(iter(doc.data[table]))
                yield self._damage(f"is {value!r}", doc, table, was, (), value, words, name=key)

    def planned(self) -> Iterator[Damage]:
        for key, keys, value, words in PLANNED:
            doc = next(d for d in self.documents if key in d.data.get("object", {}))
            yield self._damage(f"is {value!r}", doc, "object", key, keys, changed(doc.data["object"][key], keys, value), words)


# The table, the entry, the key, what that says instead, and words of the message.
OTHER_THINGS: tuple[tuple[str, str, Keys, Any, str], ...] = (
    ("does", "ibv_create_ah", (), "A way */ to a peer.", "has */, which would end the comment that it stands in"),
    ("object", "qp", ("create",), "ibv_create_cq", "ibv_create_cq: makes struct ibv_cq, and raw is ibv_qp"),
    ("object", "qp", ("create",), "ibv_create_qp_x", "ibv_create_qp_x: no such function\n  did you mean ibv_create_qp"),
    ("object", "qp", ("create",), "ibv_qp_attr", "ibv_qp_attr: no such function"),
    ("object", "qp", ("destroy",), "ibv_destroy_cq", "destroy: ibv_destroy_cq: takes struct ibv_cq *, and raw is ibv_qp"),
    ("object", "qp", ("destroy",), "ibv_get_device_list", "destroy: ibv_get_device_list: takes int *"),
    ("object", "pd", ("raw",), "ibv_cq", "ibv_alloc_pd: makes struct ibv_pd, and raw is ibv_cq"),
    ("object", "qp", ("raw",), "ibv_qp_state", "ibv_qp_state: no such structure"),
    ("object", "qp", ("attr",), "ibv_qp_init", "attr: ibv_qp_init: no such structure\n  did you mean ibv_qp_"),
    ("object", "qp", ("attr",), "ibv_cq_init_attr_ex", "ibv_cq_init_attr_ex.pd: no such field"),
    ("object", "qp", ("into",), "cq", "ibv_qp_init_attr_ex.cq: no such field"),
    ("object", "qp", ("into",), "cap.nothing", "ibv_qp_init_attr_ex.cap.nothing: no such field"),
    ("object", "qp", ("number",), "lkey", "ibv_qp.lkey: no such field"),
    ("object", "qp", ("number",), "context", "is no integer but a pointer"),
    ("object", "qp", ("shows",), ["handle", "lkey"], "ibv_qp.lkey: no such field"),
    ("object", "qp", ("unset",), {"cap.max_sned_wr": "!sends"}, "ibv_qp_init_attr_ex.cap.max_sned_wr: no such field"),
    ("object", "qp", ("parent",), "qdp", "qp: parent: qdp: no such kind"),
    ("object", "qp", ("parent",), "ibv_pd", "qp: parent: ibv_pd: no such kind"),
    ("object", "qp", ("parent",), "port", "qp: parent: port: no such kind"),
    ("object", "opened_qp", ("type",), "qpp", "opened_qp: type: qpp: no such kind\n  did you mean qp?"),
    ("object", "opened_qp", ("told",), {"state": "IBV_WC_SUCCESS"}, "IBV_WC_SUCCESS: is none of enum ibv_qp_state"),
    ("object", "opened_qp", ("told",), {"handle": "IBV_QPS_ERR"}, "told: handle: is of no enum"),
    ("object", "opened_qp", ("told",), {"stat": "IBV_QPS_ERR"}, "ibv_qp.stat: no such field"),
    ("object", "opened_qp", ("crashes",), {"libmlx5.open_pq": "it crashes"}, "open_pq: no structure has a pointer to such a function"),
    ("object", "opened_qp", ("crashes",), {"libmlx5": "it crashes"}, "must be LIBRARY.FUNCTION"),
    ("object", "mw", ("default",), {"type": "IBV_QPS_ERR"}, "IBV_QPS_ERR is none of enum ibv_mw_type"),
    ("object", "mw", ("default",), {"tipe": "IBV_MW_TYPE_1"}, "tipe: no parameter of what makes one\n  did you mean type?"),
    ("object", "pd", ("import",), "ibv_import_mr", "ibv_import_mr: makes struct ibv_mr, and raw is ibv_pd"),
    ("object", "pd", ("unimport",), "ibv_unimport_mr", "unimport: ibv_unimport_mr: takes struct ibv_mr *, and raw is ibv_pd"),
    ("object", "ah", ("other",), {"create_from_wc": "ibv_create_qp"}, "ibv_create_qp: makes struct ibv_qp, and raw is ibv_ah"),
    ("object", "ah", ("other",), {"Create": "ibv_create_ah_from_wc"}, "'Create': must be a word of small letters"),
    ("object", "ah", ("knows",), {"create_from_wd": {"attr": "0"}}, "create_from_wd: is none of other\n  did you mean create_from_wc?"),
    ("object", "ah", ("knows",), {"create_from_wc": {"atr": "0"}}, "atr: not among what the handle keeps\n  did you mean attr?"),
    ("object", "counters", ("marks",), {"ibv_attach_counters_point_flow": "attach"}, "attach: not among what the handle keeps"),
    ("object", "counters", ("marks",), {"ibv_attach_counter": "attached"}, "ibv_attach_counter: no such function"),
    ("object", "flow", ("gather",), "ibv_create_flow", "must be a function of the runtime"),
    ("object", "flow", ("args",), ["parent", "flow"], "goes with it"),
    ("object", "mr", ("begin",), "vx_mr_bgin", "vx_mr_bgin: no header in runtime/ declares such a function\n  did you mean vx_mr_begin?"),
    ("object", "flow", ("gather",), "vx_flow_gather_all", "no header in runtime/ declares such a function"),
    ("explain", "ibv_modify_wq", ("first",), "vx_explain_wq_chang", "did you mean vx_explain_wq_change?"),
    ("object", "qp", ("create",), "ibv_cmd_create_qp", "ibv_cmd_create_qp: no such function"),
    ("object", "opened_qp", (), {"raw": "ibv_qp", "parent": "ctx", "create": "ibv_open_qp", "destroy": "ibv_destroy_qp"},
     "raw: struct ibv_qp is what qp is of\n  one of the two is of the type of the other: type = \"qp\""),
    ("object", "opened_qp", (), {"parent": "ctx", "create": "ibv_create_qp_ex", "made": "x", "destroy": "ibv_destroy_qp", "destroy_of": "ctx"}, "create: ibv_create_qp_ex makes qp"),
    ("flow", "IBV_FLOW_SPEC_ETH", ("as",), "ethernet", "ethernet: no member of struct vx_flow_filter of runtime/include/verbsx/flow.h"),
    ("flow", "IBV_FLOW_SPEC_ACTION_TAG", ("takes",), ["tag"], "tag"),
    ("object", "mr", ("begin",), "ibv_reg_mr", "must be a function of the runtime"),
    ("object", "mr", ("end",), "mr_end", "must be a function of the runtime"),
    ("object", "mr", ("keeps",), ["access:ibv_mw_bind_info.access"], "ibv_mw_bind_info.access: no such field"),
    ("object", "mr", ("create", 2, "since"), 33, "ibv_reg_mr_ex is there from release 59 on, which is after 33"),
    ("object", "mr", ("create", 2, "call"), "ibv_reg_mr_x", "ibv_reg_mr_x: no such function"),
    ("object", "mr", ("by_hand",), "all", "by_hand: all: must be init"),
    ("object", "pd", ("page",), "ibv_alloc_dp", "page: ibv_alloc_dp: no such function\n  did you mean ibv_alloc_"),
    ("object", "pd", ("provider",), "mlx5", "'mlx5': must be a library such as libmlx5"),
    ("query", "srq", ("call",), "ibv_query_qp", "ibv_query_qp: takes struct ibv_qp *, and raw is ibv_srq"),
    ("query", "qp", ("by",), "state", "ibv_qp_attr.state: no such field"),
    ("query", "qp", ("known",), {"IBV_WC_SUCCESS": ["IBV_QP_STATE"]}, "IBV_WC_SUCCESS: is none of enum ibv_qp_state"),
    ("event", "IBV_EVENT_QP_FATAL", (), "qpp", "qpp: no kind of object, nor port or device"),
    ("event", "IBV_EVENT_QP_FATAL", (), "ibv_qp", "ibv_qp: no kind of object, nor port or device"),
    ("guard", "ibv_qp_attr()", ("IBV_QP_STATE",), ["lkey"], "ibv_qp_attr.lkey: no such field"),
    ("guard", "ibv_srq_init_attr_ex.comp_mask", (), {"IBV_QP_INIT_ATTR_PD": ["pd"]}, "IBV_QP_INIT_ATTR_PD: is none of enum ibv_srq_init_attr_mask"),
    ("default", "ibv_qp_init_attr_ex", ("qp_type",), "IBV_WR_SEND", "IBV_WR_SEND: is none of enum ibv_qp_type"),
    *(("default", struct, keys, value if keys else {field: value}, f"{field}: {value}: must be from {least} to {most}, as {of} has it")
      for struct, field, keys, value, least, most, of in (
          ("ibv_port_attr", "lmc", (), 300, 0, 255, "uint8_t"), ("ibv_port_attr", "lmc", (), "IBV_PORT_CLIENT_REG_SUP", 0, 255, "uint8_t"),
          ("ibv_gid_entry", "port_num", (), 999999999999, 0, 2**32 - 1, "uint32_t"), ("ibv_gid_entry", "port_num", (), -1, 0, 2**32 - 1, "uint32_t"),
          ("ibv_qp_cap", "max_send_wr", ("max_send_wr",), -1, 0, 2**32 - 1, "uint32_t"), ("ibv_mw_bind_info", "addr", ("addr",), -1, 0, 2**64 - 1, "uint64_t"),
          ("ibv_srq_init_attr_ex", "srq_type", ("srq_type",), 2**32, -2**31, 2**32 - 1, "enum ibv_srq_type"))),
    ("choice", "ibv_ece.vendor_id", (), {"options": ["IBV_QPT_RC"]},
     "IBV_QPT_RC: is of enum ibv_qp_type, and ibv_ece.vendor_id of none\n  if it is, say so in [field]: \"ibv_ece.vendor_id\" = { enum = \"ibv_qp_type\" }"),
    ("choice", "ibv_mw_bind.wr_id", (), {"bind_info": "else", "send_flags": "else"}, 'bind_info: "else" is of what has members with values as well'),
    ("guard", "ibv_ece.comp_mask", (), {"IBV_QPT_XRC_RECV": ["vendor_id"]}, "IBV_QPT_XRC_RECV: is no bit but 10"),
    ("guard", "ibv_ece.comp_mask", (), {"IBV_QP_STATE": ["vendor_id"]}, "IBV_QP_STATE: is of enum ibv_qp_attr_mask, and ibv_ece.comp_mask of none\n  if it is, say so in [field]: \"ibv_ece.comp_mask\" = { flags"),
    ("default", "ibv_ece", ("vendor_id",), "IBV_QPT_RC", "IBV_QPT_RC: is of enum ibv_qp_type, and ibv_ece.vendor_id of none"),
    *(("field", field, (), {key: True}, f"{field}: {words}") for field, key, words in (
        ("ibv_device.name", "handle", "is no pointer, as handles are, but char[64]"), ("ibv_qp_attr.cap", "handle", "is no pointer"), ("ibv_qp.qp_num", "handle", "is no pointer"),
        ("ibv_port_attr.lmc", "be", "is of single bytes, which have no order: uint8_t"), ("ibv_gid.raw", "be", "is of single bytes"), ("ibv_rx_hash_conf.rx_hash_key", "be", "is of single bytes"),
        ("ibv_device.name", "be", "is of single bytes"))),
    *(("parameter", parameter, (), entry, f"{parameter}: {next(iter(entry))}: is no integer, nor points to one, but {of}") for parameter, entry, of in (
        ("ibv_bind_mw.qp", {"enum": "ibv_mtu"}, "struct ibv_qp *"), ("ibv_bind_mw.qp", {"flags": "ibv_access_flags"}, "struct ibv_qp *"),
        ("ibv_bind_mw.qp", {"bool": True}, "struct ibv_qp *"), ("ibv_bind_mw.qp", {"form": "hex"}, "struct ibv_qp *"), ("rdma_join_multicast.context", {"enum": "ibv_mtu"}, "void *"))),
    ("unlisted", "IBV_MTU_256", (), "x", "IBV_MTU_256: is of enum ibv_mtu, of which no table has any\n  take the line away"),
    ("picture", "zz", (), {"a -> b": ["rdma_create_id"]}, "a -> b: no way leads to a from [*], where pictures begin\n  such as \"[*] -> a\""),
    ("picture", "zz", (), {"[*] -> b": ["rdma_create_id"], "b -> [*]": ["rdma_destroy_id"], "c -> d": ["rdma_create_id"], "d -> c": ["rdma_create_id"]}, "c -> d: no way leads to c"),
    ("open_flag", "O_WRONLY", ("of",), "NOPE", "of: 'NOPE': must be a flag of open(2)"),
    ("open_flag", "O_WRONLY", ("of",), "O_ACMODE", "of: O_ACMODE: the C library has no such flag\n  did you mean O_ACCMODE?"),
    ("open_flag", "O_RAEDONLY", (), {"number": 8}, "O_RAEDONLY: the C library has no such flag\n  did you mean O_RDONLY?"),
    ("default", "ibv_port_attr", (), {"state": "NULL"}, "state: NULL: is no value of enum ibv_port_state"),
    ("default", "mlx5dv_flow_match_parameters", (), {"match_buf": 1}, "match_buf: is no number but uint64_t[]"),
    ("default", "ibv_qp_init_attr", ("cap",), 1, "cap: is no number but struct ibv_qp_cap"),
    ("default", "ibv_qp_init_attr", ("recv_cq",), 5, "recv_cq: 5: is no value of struct ibv_cq *"),
    ("default", "ibv_qp_init_attr", ("sq_sig_all",), "NULL", "sq_sig_all: NULL: is no value of int"),
    ("default", "ibv_qp_init_attr_ex", ("qp_tipe",), 3, "ibv_qp_init_attr_ex.qp_tipe: no such field\n  did you mean qp_type?"),
    ("limit", "ibv_ah_attr.port_num", (), "ibv_port_attr", "ibv_port_attr: no such field"),
    ("limit", "ibv_ah_attr.port_num", (), "ibv_qp.qp_num", "ibv_qp.qp_num: must be a field of one of"),
    ("limit", "ibv_ah_attr.port_num", (), 2**32, "must be a number of 32 bits"),
    ("limit", "ibv_ah_attr.port_num", (), -1, "from 0 on"),
    ("index", "ibv_qp_attr.pkey_index", (), "ibv_device_attr.fw_ver", "ibv_device_attr.fw_ver is no number but char[64]"),
    ("owner", "ibv_memcpy_from_dm", (), "md", "md: no such parameter"),
    ("vendor_err", "0x51", ("status",), "IBV_QPS_ERR", "IBV_QPS_ERR: is of another enum than the rest"),
    ("since", "IBV_WC_FLUSH", (), 66, "66 cannot be"),
    ("since", "IBV_WC_FLUSH", (), 0, "from 1 on"),
    ("parameter", "ibv_modify_qp.attr", ("mask",), "attr_msk", "attr_msk: no such parameter\n  did you mean attr_mask?"),
    ("field", "ibv_qp_attr.timeout", ("form",), "guid", "guid takes 8 bytes"),
    ("call", "ibv_poll_cq", ("error",), "counts", "counts: must be a convention\n  did you mean count?"),
    *(("call", call, (), {"error": error}, f"{call}: error: {error}: cannot be told by what it returns: {result}\n  one of {known}")
      for call, error, result, known in (
          ("ibv_get_device_name", "errno-returned", "const char *", "null, text, none"), ("ibv_node_type_str", "minus-one", "const char *", "null, text"),
          ("ibv_create_qp", "text", "struct ibv_qp *", "null, none"), ("ibv_free_device_list", "errno-returned", "void", "none"), ("ibv_fork_init", "null", "int", "minus-one"),
          ("ibv_get_device_guid", "minus-one", "__be64", "none"), ("ibv_get_device_guid", "errno-returned", "__be64", "none"),
          ("ibv_wc_read_vendor_err", "negative-errno", "uint32_t", "errno-returned, none"), ("ibv_is_fork_initialized", "own", "enum ibv_fork_status", "none"),
          ("ibv_query_gid", "text", "int", "minus-one"))),
)
# Kinds of objects that only show to be wrong when they are planned: the entry, the key, what that says, and words of the message.
PLANNED: tuple[tuple[str, Keys, Any, str], ...] = (
    ("qp", ("needs",), {"send_qc": "sends"}, "send_qc: no such field of the init structure"),
    ("qp", ("needs",), {"send_cq": "sned"}, "sned is neither a field of the init structure nor a constant"),
    ("qp", ("needs",), {"send_cq": "sends +"}, "+ has nothing behind it"),
    ("qp", ("where",), {"sends": "qp_tipe", "receives": "1"}, "qp_tipe is neither a field"),
    ("qp", ("unset",), {"cap.max_send_wr": "!sned"}, "sned is neither a field"),
    ("cq", ("refuses",), {"too many": "cqes > 7"}, "cqes is neither a field"),
    ("cq", ("keeps",), ["comp_vektor"], "keeps: comp_vektor: neither a field of attr"),
    ("mr", ("tells",), ["memry"], "tells: memry: not among what the handle keeps"),
    ("buf", ("adopts",), ["adr"], "adopts: adr: not among what the handle keeps"),
    ("buf", ("args",), ["parent", "length"], "ibv_alloc_buf: takes 3 arguments, and args has 2"),
    ("mcast", ("destroy_of",), ["raw", "ref:gud", "lid"], "destroy_of: ref:gud: must be raw, parent, ctx"),
    ("mcast", ("destroy_of",), ["raw"], "ibv_detach_mcast: takes 3 arguments, and destroy_of has 1"),
    ("mcast", ("names",), "gud", "names and once are about what the handle keeps"),
    ("ind_table", ("list",), {"ind_tbl": "wqs"}, "must be HANDLES/COUNT"),
    ("ind_table", ("list",), {"log_ind_tbl_size": "wqs/count"}, "must be a field of attr that is an array of objects"),
    ("pd", ("lends",), {"context": "pdd"}, "pdd: no such kind"),
    ("ah", ("only",), {"port_nun": "7"}, "only: port_nun: no such field of the init structure"),
)
