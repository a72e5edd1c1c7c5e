# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Enumerators and macros that come, go and change."""

from __future__ import annotations

from random import Random

from tests.gen.project import NEWEST, values_of

from .classes import each, mutation
from .tree import CMA, MLX5, VERBS, Expected, Tree


def new_enumerator(tree: Tree, header: str, tag: str, value: str, told: str = "", first: bool = False) -> Expected:
    name = tree.name(f"{tag.upper()}_PROBE_")
    tree.enumerator(header, tag, f"{name} = {value}" if value else name, first)
    return Expected([name], told=[told.format(name)] if told else [], changes=[f"+ enumerator {name}"])


NEW = {
    "an opcode": (VERBS, "ibv_wr_opcode", "90", ""),
    "a completion's opcode": (VERBS, "ibv_wc_opcode", "1 << 6", ""),
    "a link layer": (VERBS, "ibv_atomic_cap", "9", ""),
    "an access flag": (VERBS, "ibv_access_flags", "1 << 9", ""),
    "a capability": (VERBS, "ibv_device_cap_flags", "1 << 30", ""),
    "a flag of mlx5dv": (MLX5, "mlx5dv_qp_create_flags", "1 << 20", ""),
    "a context flag of mlx5dv": (MLX5, "mlx5dv_context_attr_flags", "1 << 20", ""),
    "a port space": (CMA, "rdma_port_space", "0x01FF", ""),
}


@each(list(NEW), "{} is new")
def _(tree: Tree, what: str) -> Expected:
    header, tag, value, told = NEW[what]
    return new_enumerator(tree, header, tag, value, told)


TOLD = {
    "an event": (VERBS, "ibv_event_type", "21", r"{}.*event"),
    "a status": (VERBS, "ibv_wc_status", "24", r"{}.*mean"),
    "a state of a QP": (VERBS, "ibv_qp_state", "8", r"{}.*transition"),
    "a type of QPs": (VERBS, "ibv_qp_type", "0x2000", r"{}"),
    "a state of a WQ": (VERBS, "ibv_wq_state", "9", r"{}.*transition"),
    "a type of specs of flows": (VERBS, "ibv_flow_spec_type", "0x90", r"{}.*vx_flow_create"),
    "an event of connections": (CMA, "rdma_cm_event_type", "40", r"{}"),
    "a bit of a mask whose field is nowhere": (VERBS, "ibv_qp_init_attr_mask", "1 << 20", r"{}"),
}


@each(list(TOLD), "{} is new, and is told of")
def _(tree: Tree, what: str) -> Expected:
    return new_enumerator(tree, *TOLD[what])


@mutation("a bit of a mask is new, and its field")
def _(tree: Tree, _: Random) -> Expected:
    expected = new_enumerator(tree, VERBS, "ibv_cq_init_attr_mask", "1 << 5", "{}")
    field = tree.name("probe_field")
    tree.last_field(VERBS, "ibv_cq_init_attr_ex", f"uint64_t {field};")
    expected.add(Expected([field], changes=["~ struct ibv_cq_init_attr_ex", f"+ field ibv_cq_init_attr_ex.{field}"]))
    return expected


@mutation("an enumerator without a value, at the front of one that all have")
def _(tree: Tree, _: Random) -> Expected:
    return new_enumerator(tree, VERBS, "ibv_rate", "77", first=True)


@mutation("a second name of a value")
def _(tree: Tree, _: Random) -> Expected:
    return new_enumerator(tree, VERBS, "ibv_mtu", "IBV_MTU_4096")


@mutation("a sentinel")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("IBV_WC_STATUS_MAX")
    tree.enumerator(VERBS, "ibv_wc_status", f"{name} = ({max(values_of('ibv_wc_status'))})")
    return Expected(changes=[f"+ enumerator {name}"])


WHOLE = {
    "of bits": "{U}_A = 1 << 0,\n\t{U}_B = 1 << 1,\n\t{U}_C = 1 << 2",
    "of 64 bits": "{U}_A = 1ULL << 40,\n\t{U}_B = 0xffffffffffffffffULL",
    "with negative values": "{U}_A = -5,\n\t{U}_B = 0x7fffffff",
    "of 64 bits with a sign": "{U}_A = -0x10000000000LL,\n\t{U}_B = 1LL << 40",
    "that refers to another": "{U}_A = IBV_MTU_512,\n\t{U}_B",
    "with characters": "{U}_A = 'a',\n\t{U}_B = '\\n'",
    "with masks over several bits": "{U}_A = 0xff,\n\t{U}_B = 0xff00,\n\t{U}_C = 1 << 16",
    "with a single 0": "{U}_A = 0",
    "with sizeof": "{U}_A = sizeof(int),\n\t{U}_B = sizeof(struct ibv_sge)",
    "with a deprecated one": "{U}_A __attribute__((deprecated)) = 1,\n\t{U}_B = 2",
    "of 3,000": ",\n\t".join(f"{{U}}_N{n}" for n in range(3000)),
    "with a very long name": "{U}_A = 1, " + "{U}_" + "LONG_" * 60 + "NAME = 2",
}


@each(list(WHOLE), "a new enum {}")
def _(tree: Tree, what: str) -> Expected:
    tag = tree.name("ibv_probe")
    names = [part.split("=")[0].split("__attr")[0].strip() for part in WHOLE[what].format(U=tag.upper()).split(",")]
    tree.append(VERBS, f"enum {tag} {{\n\t{WHOLE[what].format(U=tag.upper())}\n}};")
    return Expected(names, changes=[f"+ enum {tag}", *(f"+ enumerator {name}" for name in names)])


BITS = {
    "and what is none": ("{U}_A, {U}_B = 1, {U}_C = 2, {U}_D = 4", "flags"),
    "and all of them": ("{U}_A = 1, {U}_B = 2, {U}_C = 4, {U}_D = ({U}_A | {U}_B | {U}_C)", "flags"),
    "of which there are two": ("{U}_A = 1, {U}_B = 8", "values"),
    "which its two shifts tell": ("{U}_A, {U}_B = 1 << 0, {U}_C = 1 << 1", ""),
}


@each(list(BITS), "a new enum of bits, {}", alone=BITS)
def _(tree: Tree, what: str) -> Expected:
    tag, (members, kind) = tree.name("ibv_probe"), BITS[what]
    text = members.format(U=tag.upper())
    tree.append(VERBS, f"enum {tag} {{ {text} }};")
    names = [f"{tag.upper()}_{letter}" for letter in "ABCD" if f"_{letter}" in members]
    return Expected(names, told=[rf'{tag} = {{ kind = "{kind}" }}'] if kind else [], changes=[f"+ enum {tag}", *(f"+ enumerator {name}" for name in names)])


@each([VERBS, CMA, MLX5], "an unnamed enum in {}")
def _(tree: Tree, header: str) -> Expected:
    names = [tree.name("IBV_LONELY_") for _ in range(2)]
    tree.append(header, f"enum {{\n\t{names[0]} = 3,\n\t{names[1]} = 4,\n}};")
    return Expected(names, changes=[f"+ enumerator {name}" for name in names])


@mutation("an enum that only a typedef names")
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("IBV_TYPEDEFED_")
    tree.append(VERBS, f"typedef enum {{\n\t{name}\n}} {name.lower()}_t;")
    return Expected([name], changes=["+ enumerator " + name, "~ ..."])


GOING = {
    "one that defaults use": (VERBS, "IBV_QPT_DRIVER = 0xff,", "IBV_QPT_DRIVER"),
    "one that lore explains": (VERBS, "\tIBV_WC_TM_RNDV_INCOMPLETE,\n", "IBV_WC_TM_RNDV_INCOMPLETE"),
    "a flag": (VERBS, "\tIBV_QP_CREATE_SOURCE_QPN\t\t= 1 << 10,\n", "IBV_QP_CREATE_SOURCE_QPN"),
}


@each(list(GOING), "an enumerator goes: {}")
def _(tree: Tree, which: str) -> Expected:
    header, text, name = GOING[which]
    tree.replace(header, text, "")
    return Expected(gone=[name], changes=[f"- enumerator {name}", "~ ..."])


@mutation("an enumerator has another value", alone=True)
def _(tree: Tree, _: Random) -> Expected:
    tree.replace(VERBS, "IBV_QPT_DRIVER = 0xff", "IBV_QPT_DRIVER = 0xfe")
    return Expected(changes=["~ enumerator IBV_QPT_DRIVER"], refused=rf"IBV_QPT_DRIVER of enum ibv_qp_type is 255 in release .*{NEWEST}",
                    told=[f"IBV_QPT_DRIVER: is 255 in release {NEWEST} and 254 here, .* a mistake of the header"])


@mutation("a state comes before that which ends its enum", alone=True)
def _(tree: Tree, _: Random) -> Expected:
    name = tree.name("IBV_QPS_PROBE")
    tree.replace(VERBS, "\tIBV_QPS_UNKNOWN\n", f"\t{name},\n\tIBV_QPS_UNKNOWN\n")
    line = r'gen/lore/verbs.toml: \[enum\] ibv_qp_state = \{ sentinels = \["IBV_QPS_UNKNOWN"\] \}'
    return Expected([name], changes=[f"+ enumerator {name}", "~ enumerator IBV_QPS_UNKNOWN"], told=[f"IBV_QPS_UNKNOWN: is 7 in release {NEWEST} and 8 here.*\n +{line}"],
                    refused=rf"IBV_QPS_UNKNOWN of enum ibv_qp_state is 7 in release .*\n +{line}, if it only ends")


def _definition(tree: Tree, name: str) -> str:
    found = [line for line in tree.text(CMA).splitlines() if line.startswith(f"#define {name}")]
    if not found:
        raise LookupError(f"{CMA} has no macro {name}")
    return found[0] + "\n"


@each(["RAI_PASSIVE", "RDMA_IB_IP_PS_MASK"], "a macro's value changes: {}")
def _(tree: Tree, name: str) -> Expected:
    tree.replace(CMA, _definition(tree, name), f"#define {name} 0x0000000000004321\n")
    return Expected(changes=[f"~ macro {name}"])


@each(["RAI_NOROUTE", "RAI_FAMILY"], "a macro goes: {}")
def _(tree: Tree, name: str) -> Expected:
    tree.replace(CMA, _definition(tree, name), "")
    return Expected(changes=[f"- macro {name}"])


MACROS = {
    "a number": "#define {} 17",
    "a number with a suffix": "#define {} (1ULL << 63)",
    "a negative number": "#define {} (-1)",
    "text": '#define {} "some \\"text\\" /* here */"',
    "an expression that is no constant": "#define {} (errno + 1)",
    "nothing": "#define {}",
    "another name of an enum": "#define {} ibv_mtu",
    "another name of a call": "#define {} ibv_query_gid",
    "a function": "#define {}(a, b) ((a) + (b))",
    "a statement": "#define {}(a) do {{ (void)(a); }} while (0)",
    "variadic": "#define {}(...) (__VA_ARGS__)",
    "over several lines": "#define {} \\\n\t(1 + \\\n\t 2)",
    "a type": "#define {} uint32_t",
    "a floating number": "#define {} 1.5",
    "a compound literal": "#define {} ((struct ibv_sge){{ 0 }})",
    "redefined": "#define {0} 1\n#undef {0}\n#define {0} 2",
    "undefined": "#define {0} 1\n#undef {0}",
}


@each(list(MACROS), "a new macro: {}")
def _(tree: Tree, what: str) -> Expected:
    name = tree.name("IBV_PROBE_MACRO_")
    tree.append(VERBS, MACROS[what].format(name))
    return Expected(changes=[f"+ macro {name}"] if what != "undefined" else ["~ ..."])
