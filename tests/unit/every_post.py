# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A test for each inline function of the data path: python3 -m tests.unit.every_post FILE.c

A provider that counts is told what each function was given: all of it, unchanged and in its order, once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from gen.api import merge
from gen.api.facts import Call, Field
from gen.know import groups
from gen.plan import Plan, build
from gen.plan.calls.calls import declared
from gen.plan.model.wr import Inline, One, Step
from gen.reach import known


def planned() -> Plan:
    found = groups.load()
    api, lore = known.read(found)
    merge.keep_groups(api, [g.name for g in found])
    return build(api, lore, found)


def value(c_type: str, number: int) -> str:
    """What is passed for a parameter: a number of its own, or an address."""
    handle = re.fullmatch(r"struct (vx_\w+) \*", c_type)
    if handle:
        return f"handle_{handle[1].removeprefix('vx_')}()"
    return f"({c_type})(uintptr_t){100 + number}" if c_type.endswith("*") else f"({c_type}){100 + number}"


def expected(c_type: str, number: int) -> str:
    return "(uintptr_t)&raw_object" if re.fullmatch(r"struct vx_\w+ \*", c_type) else str(100 + number)


def type_of(declaration: str) -> str:
    """Of a parameter as it is declared."""
    kind, star, name = re.fullmatch(r"(.*?) (\**)(\w+)", declaration).groups()
    return f"{kind} {star}" if star else kind


def noted(params: list[tuple[str, str]]) -> str:
    return "".join(f", (uintptr_t){name}" for _, name in params)


def guarded(guard: str, lines: list[str]) -> Iterator[str]:
    yield from [f"#if {guard}", *lines, "#endif"] if guard else lines


def step(s: Step, call: Call) -> Iterator[str]:
    """The pointer of the provider, and the test that looks what it was given."""
    params = [(p.type, p.name) for p in call.params[1:]]
    types = [type_of(declaration) for declaration, _ in s.params]
    given = "".join(f", {value(t, n)}" for n, t in enumerate(types))
    wanted = ", ".join(expected(t, n) for n, t in enumerate(types)) or "0"
    declaration = "".join(f", {declared(t, n)}" for t, n in params)
    begin = "" if s.sets else ", 7, 9"
    yield from guarded(s.guard, [
        "", f"static void count_{s.pointer}(struct ibv_qp_ex *qp{declaration})", "{", f'\tnote("{s.pointer}", qp, (uint64_t[]){{ 0{noted(params)} }}, {len(params)});', "}",
        "", f"Test(post, {s.name}_passes_on_what_it_is_given)", "{", "\tstruct vx_wr *wr = begin();", "",
        f"\tqp_ex.{s.pointer} = count_{s.pointer};", f"\t{s.name}(wr{begin}{given});",
        f'\texpect_note("{s.pointer}", (uint64_t[]){{ {wanted} }}, {len(params)});',
        *([] if s.sets else ["\tcr_expect_eq(qp_ex.wr_id, 7);", "\tcr_expect_eq(qp_ex.wr_flags, 9);"]), "}"])


def tapped(s: Step) -> Iterator[str]:
    """The same through what shows it."""
    types = [type_of(declaration) for declaration, _ in s.params]
    pointed = [t.endswith("*") and ("ibv_mw_bind_info" in t or "ibv_sge" in t or "ibv_data_buf" in t or "mlx5" in t) for t in types]
    given = "".join(f", {f'({t})&shown' if p else value(t, n)}" for n, (t, p) in enumerate(zip(types, pointed)))
    wanted = ", ".join("(uintptr_t)&shown" if p else expected(t, n) for n, (t, p) in enumerate(zip(types, pointed))) or "0"
    begin, line = ("", f" {s.pointer.removeprefix('wr_')}(") if s.sets else (", 7, 1", f" {s.pointer.removeprefix('wr_')}(wr_id=0x7, wr_flags=IBV_SEND_FENCE")
    yield from guarded(s.guard, [
        "", f"Test(tap, {s.name}_passes_on_what_it_is_given)", "{", "\tstatic const uint64_t shown[200];",
        f"\tstruct vx_wr *wr = begin_tapped(offsetof(struct ibv_qp_ex, {s.pointer}), (void (*)(void))count_{s.pointer});", "",
        f"\t{s.name}(wr{begin}{given});", "\t(void)shown;",
        f'\texpect_note("{s.pointer}", (uint64_t[]){{ {wanted} }}, {len(types)});',
        *([] if s.sets else ["\tcr_expect_eq(qp_ex.wr_id, 7);", "\tcr_expect_eq(qp_ex.wr_flags, 1);"]),
        f'\texpect_shown(wr, "{line}");', "}"])


def one(o: One) -> Iterator[str]:
    """A request that is posted in one line is that request."""
    types = [type_of(p) for p in o.params]
    names = [p.split()[-1].lstrip("*") for p in o.params]
    by_value = {path: m[1] for path, v in o.fields if (m := re.fullmatch(r"vx_\w+_given\((\w+)\)", v))}
    pointed = set(by_value.values())
    given = "".join(f", {'&bind_to' if n in pointed else value(t, i)}" for i, (t, n) in enumerate(zip(types, names)))
    number = {n: i for i, n in enumerate(names)}
    checks = []
    for path, v in o.fields:
        raw = re.fullmatch(r"\(struct \w+ \*\)vx_raw_or_null\((\w+)\)", v)
        if path in by_value:
            checks.append(f"\tcr_expect_eq(memcmp(&posted.{path}, &bind_to, sizeof(bind_to)), 0);")
        elif raw:
            checks.append(f"\tcr_expect_eq((void *)posted.{path}, &raw_object);")
        elif v in number:
            checks.append(f"\tcr_expect_eq(posted.{path}, {100 + number[v]});")
    data = ", &entry, 3" if o.has_data else ""
    yield from ["", f"Test(post, {o.name}_posts_one_request)", "{", "\tstruct vx_qp *qp = make_qp();", "",
                f"\tcr_expect_eq({o.name}(qp, 7, 9{data}{given}), 0);", "\tcr_expect_eq(count, 1);", f"\texpect_posted({o.opcode}, {'&entry, 3' if o.has_data else 'NULL, 0'});",
                *checks, "}"]


def by_post(s: Step) -> Iterator[str]:
    """A request that is built is that which is posted in one line."""
    types = [type_of(declaration) for declaration, _ in s.params]
    pointed = [v.startswith("*") for _, v in s.fields]
    given = "".join(f", {'&bind_to' if p else value(t, n)}" for n, (t, p) in enumerate(zip(types, pointed)))
    checks = [f"\tcr_expect_eq(memcmp(&posted.{path}, &bind_to, sizeof(bind_to)), 0);" if p else
              f"\tcr_expect_eq((uintptr_t)posted.{path}, {expected(t, n)});" for n, ((path, _), t, p) in enumerate(zip(s.fields, types, pointed))]
    build = ["\tvx_wr_local_inv(wr, 7, 9, 0);", f"\t{s.name}(wr{given});"] if s.sets else [f"\t{s.name}(wr, 7, 9{given});"]
    yield from guarded(s.guard, ["", f"Test(by_post, {s.name}_goes_into_a_request)", "{", "\tstruct vx_wr *wr = begin_by_post();", "",
                                 *build, "\tcr_expect_eq(count, 0);", "\tcr_expect_eq(vx_wr_complete(wr), 0);", "\tcr_expect_eq(count, 1);",
                                 f"\texpect_posted({'IBV_WR_LOCAL_INV' if s.sets else s.entry['wr']}, NULL, 0);", *checks, "}"])


def not_by_post(s: Step) -> Iterator[str]:
    """What ibv_post_send(3) does not know posts nothing."""
    given = "".join(f", {value(type_of(declaration), n)}" for n, (declaration, _) in enumerate(s.params))
    yield from guarded(s.guard, ["", f"Test(by_post, {s.name}_cannot_be_posted)", "{", "\tstruct vx_wr *wr = begin_by_post();", "", "\tvx_wr_send(wr, 1, 0);",
                                 f"\t{s.name}(wr, 7, 9{given});", "\tcr_expect_eq(vx_wr_complete(wr), -EOPNOTSUPP);", "\tcr_expect_eq(count, 0);", "}"])


def read(r: Inline, f: Field) -> Iterator[str]:
    """What is read of a completion is what the provider says."""
    head = f"static {r.result} count_{r.name}(struct ibv_cq_ex *cq{', struct ibv_wc_tm_info *tm_info' if r.params else ''})"
    says = ["\ttm_info->tag = 77;"] if r.params else [f"\treturn ({r.result})77;"]
    asks = [f"\t{r.name}(at_completion(), &info);", "\tcr_expect_eq(info.tag, 77);"] if r.params else [f"\tcr_expect_eq({r.name}(at_completion()), 77);"]
    yield from guarded(r.guard, [
        "", head, "{", "\tcr_expect_eq(cq, &cq_ex);", "\tcount++;", *says, "}",
        "", f"Test(post, {r.name}_gives_what_the_provider_says)", "{", *(["\tstruct ibv_wc_tm_info info;", ""] if r.params else []),
        f"\tcq_ex.{f.name} = count_{r.name};", *asks, "\tcr_expect_eq(count, 1);", "}",
        "", f"Test(front_cq, goes_on_to_{r.name})", "{", *(["\tstruct ibv_wc_tm_info info;", ""] if r.params else []),
        "\tthrough_a_front = true;", f"\tcq_ex.{f.name} = count_{r.name};", *asks, "\tcr_expect_eq(count, 1);", "}"])


def pointer_of(r: Inline, fields: list[Field]) -> Field:
    """Two may read the same: a key that was invalidated is where immediate data are else."""
    name = r.call.removeprefix("ibv_wc_")
    return next((f for f in fields if f.name == name), next(f for f in fields if f.name == "read_imm_data"))


def tests(plan: Plan) -> Iterator[str]:
    calls, wr = plan.api.calls(), plan.wr
    for s in wr.steps:
        yield from step(s, calls[s.call])
        yield from tapped(s)
    for s in wr.posted:
        yield from by_post(s)
    for s in wr.unposted:
        yield from not_by_post(s)
    for o in wr.ones:
        yield from one(o)
    fields = plan.api.structs()["ibv_cq_ex"].fields
    for r in wr.reads:
        yield from read(r, pointer_of(r, fields))


def main(out: str) -> None:
    lines = ["/* Made by tests/unit/every_post.py: each inline function of the data path. */", "", "#include <errno.h>", "", '#include "unit/post/counting.h"', *tests(planned()), ""]
    Path(out).write_text("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
