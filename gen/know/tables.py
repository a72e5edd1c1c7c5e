# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What each table of lore says: its keys, the values, and what the names in them refer to.

The checks of lore_values.py follow from this. What cannot be said here, as it is about several keys of an entry or about what suits a
field, is a rule: the method _table_NAME of one of the checkers.
"""

from __future__ import annotations

import re

from . import conditions
from .groups import CONVENTIONS
from .model import FORMS, IDENTIFIER, WIDTHS
from .values import Either, Keys, List, Map, Number, Table, Text, Truth
from .wr import DATA, GIVES

TRUTH = Truth("true, or not be there")  # what is not is not said
EITHER = Truth("true or false", either=True)
TEXT = Text()
NAME = Text("a name of C", IDENTIFIER)
WORD = Text("a word of small letters", re.compile(r"[a-z][a-z0-9_]*"))
SENTENCES = Text("whole sentences", re.compile(r".*\.", re.DOTALL))
PRINTED = Text("whole sentences", re.compile(r".*\.", re.DOTALL), printed=True)
C = Text("C without a semicolon", re.compile(r"[^;{}]+"))
CONDITION = Text("a condition in C", re.compile(r"[^;]*[^;\s][^;]*"), whole=conditions.wrong)
PATH = Text("the path of a field", re.compile(r"[A-Za-z_][\w.]*"))
HANDLES = Text("HANDLES/COUNT", re.compile(r"[A-Za-z_]\w*/[A-Za-z_]\w*"))
MAN_PAGE = Text("a man page such as ibv_open_device(3)", re.compile(r"[\w.-]+\(\d\w*\)"), empty=True)
LIBRARY = Text("a library such as libmlx5", re.compile(r"lib[\w-]+"))
PROVIDERS = Text("LIBRARY.FUNCTION, such as libmlx5.open_qp", re.compile(r"lib[\w-]+\.[a-z_]\w*"), "_operation")
OF_RUNTIME = Text("a function of the runtime, vx_...", re.compile(r"vx_[a-z0-9_]+"), "_of_runtime")
INLINE = Text("an inline function of libverbsx, vx_...", re.compile(r"vx_[a-z0-9_]+"))
ARGUMENT = Text("a word of args, such as parent, attr.NAME or =TEXT", re.compile(r"=.+|(?:(?:init|ref|copy|out|handles|elements|blob):)?[A-Za-z_][\w.]*(?:/\w+)?"))
TAKEN = Text("raw, parent, ctx, NAME or ref:NAME", re.compile(r"(?:ref:)?[A-Za-z_]\w*"))
FORM = Text("a form", names="_known_form")

STRUCT = Text("a structure", names="_struct")
CALL = Text("a function", names="_call")
CALL_OR_OWN = Text("a function, of the headers or of libverbsx", names="_call_or_own")
PARAMETER = Text("FUNCTION.PARAMETER", names="_parameter")
ENUM = Text("an enum", names="_enum", late=True)
ENUMERATOR = Text("an enumerator", names="_enumerator")
MACRO = Text("a macro", names="_value_macro")
FIELD = Text("STRUCTURE.FIELD", names="_field")
ITEM = Text("what the headers declare", names="_any_item")
CODE = Text("a code", names="_known_code", late=True)
KIND = Text("a kind of objects", names="_kind", late=True)
ABOUT = Text("a kind of objects, ctx, port or device", names="_about", late=True)
EDGE = Text("STATE -> STATE, of which [*] is before and after all", re.compile(r"(?:\[\*\]|[a-z]\w*) -> (?:\[\*\]|[a-z]\w*)"))
SHOWN = Text("a field of the init structure, NAME:FIELD or NAME:KIND.FIELD", re.compile(r"(?:[A-Za-z_]\w*:(?:[a-z_]\w*\.)?)?[A-Za-z_]\w*"))
LEADS = Text("a function, of the headers or of libverbsx, or an enumerator", names="_leads")
OPEN_FLAG = Text("a flag of open(2)", re.compile(r"O_[A-Z]{1,9}"), "_open_flag")
DOCUMENTED = Text("an enum, a structure or a function", names="_documented", late=True)
PATH_MEMBER = Text("a member of struct vx_path", names="_path_member")
OF_RAW, OF_ATTR = Text("a field of raw", of="raw"), Text("a field of attr", of="attr")

MEANING = Keys({"says": PRINTED, "causes": PRINTED, "remedy": PRINTED}, ("says",))
WAY = Keys({"call": CALL_OR_OWN, "when": CONDITION, "args": List(ARGUMENT, empty=True), "made": PATH, "result": NAME, "given": Map(PATH, C),
            "since": Number("a release", 1), "like": CALL_OR_OWN, "like_args": List(ARGUMENT)}, ("call",))
OBJECT = Keys({
    "title": TEXT, "raw": STRUCT, "parent": KIND, "type": KIND, "create": Either({str: CALL_OR_OWN, list: List(WAY)}, "a function, or a list of ways"),
    "args": List(ARGUMENT, empty=True), "attr": STRUCT, "also": STRUCT, "into": OF_ATTR, "made": PATH, "result": NAME, "list": Map(OF_ATTR, HANDLES),
    "gather": OF_RUNTIME, "destroy": CALL_OR_OWN, "destroy_of": Either({str: TAKEN, list: List(TAKEN)}, "a word, or a list of words"), "page": CALL,
    "number": OF_RAW, "import": CALL_OR_OWN, "unimport": CALL_OR_OWN, "by_hand": Text("init", known=("init",)), "provider": LIBRARY,
    "crashes": Map(PROVIDERS, TEXT), "default": Map(NAME, ENUMERATOR), "where": Map(NAME, CONDITION),
    "needs": Either({list: List(NAME), dict: Map(NAME, CONDITION)}, "a list of fields of the init structure, or a condition for each"),
    "unset": Map(OF_ATTR, CONDITION), "shows": List(Text("a field of raw, or NAME:FIELD", names="_shown"), empty=True), "busy": TEXT,
    "keeps": List(Text("FIELD, NAME:STRUCT.FIELD, NAME=TYPE or NAME:STRUCT.FIELD=TYPE", re.compile(r"[A-Za-z_][\w.]*(:\w+\.[\w.]+)?(=[\w *]+)?"), "_kept")),
    "tells": List(NAME), "adopts": List(NAME), "note": TEXT, "lends": Map(Text("a field of raw, or NAME:FIELD", names="_shown"), KIND), "holds": List(NAME), "ending": OF_RUNTIME, "code": OF_RUNTIME, "reads": List(NAME), "points": Map(Text("POINTER.FIELD of the init structure", re.compile(r"[a-z_]\w*\.[a-z_]\w*")), KIND), "moves": Map(CALL_OR_OWN, NAME), "depends": Map(CALL_OR_OWN, List(NAME)), "marks": Map(CALL_OR_OWN, NAME),
    "bare": Map(PROVIDERS, TEXT), "uses": HANDLES, "begin": OF_RUNTIME, "end": OF_RUNTIME, "filled": Map(NAME, Map(OF_RUNTIME, NAME)), "stride": NAME, "names": NAME, "often": TRUTH, "once": TRUTH, "early": TRUTH,
    "told": Map(OF_RAW, ENUMERATOR), "extended": CONDITION, "tapped": OF_RUNTIME, "other": Map(WORD, CALL_OR_OWN), "knows": Map(WORD, Map(NAME, C)), "refuses": Map(TEXT, CONDITION),
    "only": Map(PATH, C), "own": Map(NAME, Text("a type of C", known=("bool",))), "checked": OF_RUNTIME, "before": Map(CALL_OR_OWN, OF_RUNTIME),
    "then": Map(CALL_OR_OWN, OF_RUNTIME), "looking": Map(OF_ATTR, ENUMERATOR), "by": Map(CALL_OR_OWN, OF_RUNTIME), "instead": Map(CALL_OR_OWN, OF_RUNTIME),
}, ("destroy",))
QUERY = Keys({"call": CALL, "mask": C, "means": C, "by": NAME, "known": Map(ENUMERATOR, List(ENUMERATOR)), "taken": PARAMETER, "name": NAME})
FLOW = Keys({"of": STRUCT, "as": WORD, "bits": Map(PATH, Number("a number of bits", 1)), "inner": EITHER, "takes": List(PATH, empty=True)}, ("of",))
PARAMETERS = Keys({
    "out": EITHER, "mask": NAME, "count": NAME, "type": C, "enum": ENUM, "flags": ENUM, "bool": TRUTH, "form": FORM, "optional": EITHER, "asks": TRUTH, "inside": TRUTH,
    "clear": Map(NAME, OF_RUNTIME), "empty": TRUTH, "tail": Keys({"name": NAME, "struct": STRUCT, "count": PATH, "size": PATH}, ("name", "struct", "count", "size")),
})
FIELDS = Keys({
    "enum": ENUM, "flags": ENUM, "set": TRUTH, "bitmap": ENUM, "code": CODE, "form": FORM, "bool": TRUTH, "zero": TRUTH, "be": TRUTH, "count": PATH,
    "power": TRUTH, "in_bytes": Number("a number of bytes", 1), "text": TRUTH, "bytes": TRUTH, "points": Text("one, list or each", known=("one", "list", "each")), "never": TRUTH, "secret": TRUTH, "handle": TRUTH, "null": TRUTH,
    "note": TEXT,
})
ENUMS = Keys({"kind": Text("values, flags or mixed", known=("values", "flags", "mixed")), "sentinels": List(ENUMERATOR), "in_wqes": TRUTH,
              "composites": List(ENUMERATOR), "bits": List(ENUMERATOR), "macros": List(MACRO), "note": TEXT,
              "number": Number("bits that are one number", 1), "others": Map(NAME, Number("a value of it", 1))})
SOURCE = Keys({"allows": TEXT, "has": TEXT, "ask": C, "part": TEXT, "own": C, "beside": STRUCT}, ("allows",))
QP_TYPES = List(Text("a type of QPs that send", names="_sends"))
ENTRIES = Keys({"list": NAME, "count": NAME, "fields": List(NAME), "bits": Number("a number of bits", 1, 63), "in_all": TRUTH, "before": Number("a release of rdma-core", 1)},
               ("list", "count", "fields", "bits"))
WR = Keys({"op": ENUMERATOR, "data": Text("what must follow", known=DATA), "setters": NAME, "aligned": NAME, "types": QP_TYPES, "wr": ENUMERATOR, "wc": ENUMERATOR, "slots": Number("slots of a queue", 1),
           "into": PATH, "as": Map(NAME, NAME), "post": WORD, "flags": ENUMERATOR, "entries": ENTRIES, "refuses": Map(TEXT, CONDITION), "looks": OF_RUNTIME, "at": List(NAME)},
          ("data", "types", "wc"))
ROLES = ("mask", "mask_bits", "port", "context", "sends", "steps", "builder", "setter", "around", "begun", "posted", "data")
PART_OF_RULE = Text("what an action of a rule is for", known=("any", "tag", "counter", "pop", "change", "push", "destination"))
SENTENCE_IF = Map(TEXT, List(TEXT))
PATTERNS = List(TEXT, empty=True)

TABLES: dict[str, Table] = {
    # of what headers have
    "unnamed": Table(Text(names="_first"), NAME),
    "enum": Table(NAME, ENUMS),
    "macro": Table(MACRO, ENUM),
    "struct": Table(STRUCT, Keys({"grows": Text("front", known=("front",)), "hidden": TRUTH, "one_value": TRUTH, "handle": TRUTH, "note": TEXT})),
    "name": Table(Text(names="_fields_called"), Keys({"form": Text("a form of a number", known=tuple(f for f in FORMS if f not in WIDTHS)),
                                                   "zero": TRUTH, "bool": TRUTH})),
    "form_words": Table(Text("a form of a number", known=tuple(f for f in FORMS if f not in WIDTHS)), List(Text("how names are called, * for anything", re.compile(r"[a-z0-9_*]*[a-z][a-z0-9_*]*")))),
    "field": Table(PATH, FIELDS),
    "guard": Table(TEXT, Map(ENUMERATOR, List(PATH, empty=True)), parts=True),
    "choice": Table(TEXT, Map(PATH, Either({str: Text('"else"', known=("else",)), list: List(TEXT)}, 'a list of values, or "else"')), parts=True),
    "code": Table(NAME, Map(TEXT, Either({str: TEXT, list: List(NAME)}, "a text")), parts=True),
    "special": Table(Text("a form", known=tuple(f for f in FORMS if f != "plain")), Keys({"value": Number("a number of 8 bits", -128, 127), "word": Text("a word or two", re.compile(r"[a-z ]{1,14}"))}, ("value", "word"))),
    "open_flag": Table(OPEN_FLAG, Keys({"number": Number("a number of 32 bits", 1, 2**32 - 1), "of": OPEN_FLAG}, ("number",))),
    "since": Table(ITEM, Number("a release of rdma-core", 1)),
    "until": Table(ITEM, Number("a release of rdma-core", 1)),
    "default": Table(STRUCT, Map(PATH, Either({int: Number(), bool: EITHER, str: TEXT}, "a number, a truth value or a name"), empty=True)),
    "call": Table(CALL, Keys({"error": Text("a convention", known=tuple(CONVENTIONS)), "opens": TRUTH, "note": TEXT})),
    "skip": Table(Text("what the headers declare, or the type of a variable", names="_skipped"), TEXT),
    "begins": Table(Text("what calls do", known=("data_path", "asking", "reading")), List(Text("what names of functions begin with", names="_begins"))),
    "role": Table(Text("a part that names play", known=ROLES), List(NAME)),
    "vendor_type": Table(NAME, NAME),
    "alike": Table(STRUCT, STRUCT),
    "instead": Table(STRUCT, TEXT),
    # of words
    "meaning": Table(ENUMERATOR, MEANING),
    "errno": Table(Text("an errno", names="_errno"), MEANING),
    "man": Table(DOCUMENTED, MAN_PAGE),
    "does": Table(CALL, SENTENCES),
    "says": Table(TEXT, Text("words without a full stop: more may be added", re.compile(r".*[^.]", re.DOTALL))),
    "variable": Table(TEXT, SENTENCES),
    "term": Table(TEXT, SENTENCES),
    "form": Table(Text("a form", known=tuple(f for f in FORMS if f != "plain")), TEXT),
    # of objects
    "object": Table(WORD, OBJECT),
    "root": Table(WORD, Keys({"raw": STRUCT, "destroy": CALL, "opens": STRUCT}, ("raw", "destroy"))),  # what is made of nothing, and opened by hand
    "own": Table(WORD, Keys({"title": TEXT, "word": WORD, "parent": KIND, "does": SENTENCES, "shows": List(SHOWN)}, ("title", "does"))),  # of libverbsx itself, made by hand
    "query": Table(ABOUT, QUERY),
    "event": Table(ENUMERATOR, ABOUT),
    "owner": Table(CALL, NAME),
    "opening": Table(CALL, CALL),
    "named": Table(CALL_OR_OWN, NAME),
    "given": Table(PARAMETER, C),
    "option": Table(WORD, Keys({"call": CALL, "args": List(ENUMERATOR), "type": C, "as": C, "most": Number("a number", 1), "does": SENTENCES, "says": TEXT}, ("call", "args", "type", "does", "says"))),
    "view": Table(CALL, Map(NAME, Keys({"flag": ENUMERATOR, "does": SENTENCES, "refuses": Map(TEXT, CONDITION)}, ("flag", "does"))), parts=True),
    "picture": Table(WORD, Map(EDGE, List(LEADS))),
    "unit": Table(PARAMETER, Number("how many units of the call one of the method's is", 1)),
    "counting": Table(PARAMETER, TEXT),
    "unasked": Table(PARAMETER, TEXT),
    "before": Table(CALL, Map(TEXT, CONDITION)),
    "none": Table(FIELD, TEXT),
    "method": Table(CALL, TEXT),
    "flow": Table(ENUMERATOR, FLOW),
    "parameter": Table(PARAMETER, PARAMETERS),
    # of the data path
    "wr": Table(Text("a builder, or an opcode that has none", names="_builder"), WR),
    "wr_set": Table(CALL, Keys({"gives": Text("what a request has by it", known=GIVES), "types": QP_TYPES, "into": PATH, "to": TRUTH, "looks": OF_RUNTIME, "at": List(NAME), "entries": ENTRIES, "refuses": Map(TEXT, CONDITION)}, ("gives",))),
    "inline": Table(CALL, Keys({"fail": OF_RUNTIME, "raw": TRUTH, "stands": INLINE, "tap": TRUTH, "has": List(NAME), "not_of": ENUMERATOR, "by": OF_RUNTIME, "list": CALL,
                                "flag": ENUMERATOR, "always": TRUTH})),
    "mend": Table(PROVIDERS, Keys({"before": Number("a release of rdma-core", 1), "front": OF_RUNTIME}, ("before", "front"))),
    # of MADs
    "mad": Table(NAME, Map(NAME, List(Number("a place in a MAD", 0, 2047)))),
    "mad_record": Table(NAME, Number("an AttributeID", 1, 0xffff)),
    # of paths
    "path": Table(PATH_MEMBER, Number("a number of bits", 0, 32)),
    "path_attr": Table(PATH_MEMBER, FIELD),
    "path_form": Table(PATH_MEMBER, Text("bytes", known=("bytes",))),
    "handshake": Table(NAME, Keys({"bytes": Number("a number of bytes", 1, 16), "says": TEXT, "comes": TEXT}, ("bytes", "says", "comes"))),
    # of work requests as a device reads them
    "wqe": Table(ENUMERATOR, List(Text("a structure, address, data or entries", names="_segment", late=True))),
    # of rules of mlx5 devices
    "rule_type": Table(ENUMERATOR, PART_OF_RULE),
    "rule_kind": Table(KIND, PART_OF_RULE),
    # of mailboxes
    "prm": Table(Text("a layout", re.compile(r"[a-z0-9]\w*")), Map(NAME, Either({list: List(Either({int: Number("a place in a mailbox"), str: NAME}, "a number, or a layout")), int: Number("a number of bytes", 1, 0xffff)},
                                        "a place, or a number of bytes"))),
    # of reasons
    "source": Table(STRUCT, SOURCE),
    "limit": Table(TEXT, Either({int: Number(least=0), str: TEXT}, "a number of 32 bits, or a field of one of [source]")),
    "index": Table(TEXT, TEXT),
    "called": Table(TEXT, TEXT),
    "locks": Table(CALL, TRUTH),
    "count": Table(TEXT, TEXT),
    "fault": Table(TEXT, SENTENCE_IF),
    "refuse": Table(TEXT, SENTENCE_IF),
    "exclude": Table(TEXT, Map(TEXT, List(TEXT, empty=True))),
    "suspect": Table(STRUCT, List(TEXT)),
    "product": Table(STRUCT, List(TEXT)),
    "explain": Table(TEXT, Keys({"first": OF_RUNTIME, "then": OF_RUNTIME})),
    "prefix": Table(Text("what transitions are about", known=("bit", "state", "type", "wq_state")), NAME),
    "transition": Table(TEXT, Map(TEXT, List(List(NAME, empty=True))), parts=True),
    "unlisted": Table(ENUMERATOR, TEXT),
    "ignored": Table(TEXT, List(TEXT)),
    "wq_transition": Table(TEXT, List(TEXT)),
    # of lines of logs
    "message": Table(TEXT, MEANING),
    "beside": Table(TEXT, MEANING),
    "counter": Table(TEXT, MEANING),
    "change": Table(TEXT, Keys({"causes": PRINTED, "remedy": PRINTED}, ("causes",))),
    "phrase": Table(TEXT, List(TEXT)),
    "spelled": Table(TEXT, TEXT),
    "likely": Table(TEXT, List(TEXT)),
    "number": Table(TEXT, PATTERNS),
    "alone": Table(TEXT, List(TEXT)),
    "word": Table(TEXT, List(ENUM)),
    "vendor_err": Table(TEXT, Keys({"status": ENUMERATOR, "where": TEXT, "seldom": TRUTH}, ("status", "where"))),
}
