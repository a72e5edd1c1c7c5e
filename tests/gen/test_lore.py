# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Lore: each kind of wrong entry stops with file and line, names the culprit and what may have been meant."""

from __future__ import annotations

import random
import unittest

from gen import plan
from gen.api import merge
from gen.errors import GenError
from gen.know import groups, lore
from gen.know.lore import Lore
from gen.know.remarks import Remarks
from gen.plan.enums.unnamed import name_unnamed
from gen.reach import headers
from gen.scan.scan import Tree, scan
from tests.gen.project import OfLore

HEADER = """\
#include <linux/types.h>
#include <sys/socket.h>
enum acme_mode { ACME_SLOW, ACME_FAST };
enum acme_caps { ACME_CAP_A = 1, ACME_CAP_B = 2, ACME_CAP_C = 4 };
enum { ACME_OLD = 1, ACME_NEXT = 2 };
#define ACME_EXTRA 8
#define ACME_TEXT "text"
struct acme_opaque;
struct acme_inner { int n; };
struct acme_attr {
	__u32 mask; __u32 mode; __u32 number; __u64 guid; char name[16]; const char *text; void *data;
	struct acme_inner in; struct acme_inner *list; struct acme_opaque *handle; struct acme_attr *next;
	__u8 mac[6]; __u32 numbers[4]; struct sockaddr *addr;
	union { int a; long b; } u;
	void (*call)(void);
	unsigned few : 3; int some : 3; _Bool on;
};
int acme_open(struct acme_attr *attr);
"""


class OfAcme(OfLore):
    header = HEADER

    def refused(self, table: str, entry: str, *words: str) -> None:
        """An entry stops the generator on its own line."""
        self.refused_at(4, f"# one\n[{table}]\n\n{entry}\n", *words)

    def refused_table(self, text: str, *words: str) -> None:
        """A table stops the generator on the line of its head."""
        self.refused_at(3, f"# one\n\n{text}\n", *words)


class Good(OfAcme):
    def test_good_entries_are_taken(self) -> None:
        found = self.load("""
            [unnamed]
            ACME_OLD = "acme_old"
            [enum]
            acme_caps = { kind = "flags", sentinels = ["ACME_CAP_C"] }
            acme_old = { kind = "values" }
            acme_made = { kind = "flags", macros = ["ACME_EXTRA"] }
            [field]
            "acme_attr.mask" = { flags = "acme_caps" }
            "acme_attr.mode" = { enum = "acme_mode" }
            "acme_attr.number" = { code = "speed" }
            "acme_attr.guid" = { form = "guid" }
            "acme_attr.mac" = { form = "mac" }
            "acme_attr.name" = { bytes = true }
            "acme_attr.text" = { text = true }
            "acme_attr.list" = { count = "number" }
            "acme_attr.next" = { points = "list" }
            "acme_attr.addr" = { form = "sockaddr" }
            "acme_attr.u.a" = { bool = true }
            [name]
            n = { form = "hex" }
            [guard."acme_attr.mask"]
            ACME_CAP_A = ["number", "u.a"]
            [choice."acme_attr.mode"]
            "u.a" = ["ACME_SLOW"]
            "u.b" = "else"
            [code.speed]
            1 = "slow"
            [default."acme_attr"]
            mode = "ACME_FAST"
            [call]
            acme_open = { error = "minus-one" }
            [man]
            acme_open = "acme(3)"
            [meaning]
            ACME_FAST = { says = "It is fast." }
            [errno]
            EINVAL = { says = "Wrong." }
            [skip]
            "acme_attr.call" = "nobody calls it"
            """)
        self.assertEqual(found.field["acme_attr.mode"], {"enum": "acme_mode"})
        self.assertEqual(found.code, {"speed": {1: "slow"}})
        self.assertEqual(found.guard, {"acme_attr.mask": {"ACME_CAP_A": ["number", "u.a"]}})

    def test_one_file_may_use_what_another_defines(self) -> None:
        self.load('[field]\n"acme_attr.mode" = { code = "speed" }\n', two='[code.speed]\n1 = "slow"\n')

    def test_lore_must_be_somewhere(self) -> None:
        self.assertIn("no lore here", self.fails(lambda: lore.load(self.api(), self.folder / "lore")))


class WrongNames(OfAcme):
    def test_a_table_that_lore_does_not_have(self) -> None:
        self.refused_table("[fields]\na = 1", "[fields]: lore has no such table", "did you mean field?")

    def test_a_field_that_is_not_there(self) -> None:
        self.refused("field", '"acme_attr.nubmer" = { form = "hex" }', "acme_attr.nubmer: no such field", "did you mean number?")

    def test_a_field_of_a_member_that_is_not_there(self) -> None:
        self.refused("field", '"acme_attr.u.c" = { form = "hex" }', "acme_attr.u.c: no such field")

    def test_a_structure_that_is_not_there(self) -> None:
        self.refused("field", '"acme_atr.mode" = { form = "hex" }', "acme_atr: no such structure", "did you mean acme_attr?")
        self.refused("struct", "acme_atr = { hidden = true }", "acme_atr: no such structure", "did you mean acme_attr?")
        self.refused_table('[default."acme_atr"]\nmode = 1', "acme_atr: no such structure")

    def test_an_enum_that_is_not_there(self) -> None:
        for kind in ("enum", "flags", "bitmap"):
            with self.subTest(kind):
                self.refused("field", f'"acme_attr.mode" = {{ {kind} = "acme_made" }}', "acme_made: no such enum", "did you mean acme_mode?")
        self.refused("enum", 'acme_cap = { kind = "flags" }', "acme_cap: no such enum", "did you mean acme_caps?")

    def test_an_enumerator_that_is_not_there(self) -> None:
        self.refused("enum", 'acme_caps = { sentinels = ["ACME_CAP_D"] }', "ACME_CAP_D: no such enumerator",
                     "did you mean")
        self.refused('guard."acme_attr.mask"', 'ACME_CAP_X = ["mode"]', "ACME_CAP_X: no such enumerator")
        self.refused('guard."acme_attr.mask"', 'CAP_A = ["mode"]', "CAP_A: no such enumerator", "did you mean ACME_CAP_A?")
        self.refused('choice."acme_attr.mode"', '"u.a" = ["ACME_SLOWW"]', "did you mean ACME_SLOW?")
        self.refused('default."acme_attr"', 'mask = "ACME_CAP_A|ACME_CAP_X"', "ACME_CAP_X: no such enumerator")
        self.refused("meaning", 'ACME_SLOWER = { says = "x" }', "ACME_SLOWER: no such enumerator",
                     "did you mean ACME_SLOW?")

    def test_an_enumerator_of_another_enum(self) -> None:
        for part in ("sentinels", "composites", "bits"):
            with self.subTest(part):
                self.refused("enum", f'acme_caps = {{ {part} = ["ACME_FAST"] }}',
                             "acme_caps: ACME_FAST is not one of its enumerators")

    def test_a_value_beyond_the_number_that_flags_have(self) -> None:
        for number in ("", "number = 6, "):
            with self.subTest(number):
                self.refused("enum", f"acme_caps = {{ {number}others = {{ BOTH = 9 }} }}", "acme_caps: BOTH has bits that are not of its number")

    def test_an_enumerator_that_is_not_the_first_of_an_unnamed_enum(self) -> None:
        self.refused("unnamed", 'ACME_NEXT = "acme_old"',
                     "ACME_NEXT: not the first enumerator of an unnamed enum")
        self.refused("unnamed", 'ACME_SLOW = "acme_old"', "ACME_SLOW: not the first")
        self.refused("unnamed", 'ACME_OLDD = "acme_old"', "did you mean ACME_OLD?")

    def test_a_name_for_an_unnamed_enum_that_is_taken(self) -> None:
        self.refused("unnamed", 'ACME_OLD = "acme_mode"', "acme_mode: an enum of this name exists")

    def test_a_name_for_an_unnamed_enum_that_c_cannot_read(self) -> None:
        self.refused("unnamed", 'ACME_OLD = "acme old"', "'acme old': must be a name of C")

    def test_a_macro_that_has_no_value(self) -> None:
        self.refused("enum", 'acme_made = { macros = ["ACME_TEXT"] }',
                     "ACME_TEXT: no such macro with an integer value")

    def test_a_code_with_a_selector_has_words_for_each_way(self) -> None:
        found = self.load('[field]\n"acme_attr.mode" = { code = "speed" }\n\n[code.speed]\nselected = "the best"\n5 = "slow"\n').code["speed"]
        self.assertEqual(found, {5: "more than slow", 69: "less than slow", 133: "slow", 197: "the best"})
        self.refused("code.speed", 'selected = "the best"\n64 = "x"', "a value of more than 6 bits")

    def test_a_code_that_is_not_there(self) -> None:
        self.refused("field", '"acme_attr.mode" = { code = "speed" }', "speed: no such code")

    def test_a_code_whose_name_c_cannot_read(self) -> None:
        self.refused_table('[code."a b"]\n1 = "x"', "'a b': must be a name of C")

    def test_a_form_that_is_not_there(self) -> None:
        self.refused("field", '"acme_attr.mode" = { form = "hexx" }', "acme_attr.mode: form: hexx: no such form",
                     "did you mean hex?")
        self.refused("field", '"acme_attr.mode" = { form = "us" }', "acme_attr.mode: form: us: no such form", "one of plain, hex, page_sizes, ", ", ns, ")
        self.refused("name", 'number = { form = "hexx" }', "hexx: must be a form of a number", "did you mean hex?")

    def test_a_field_name_that_no_structure_has(self) -> None:
        self.refused("name", 'nummber = { form = "hex" }', "nummber: no structure has", "did you mean number?")

    def test_a_function_or_convention_that_is_not_there(self) -> None:
        self.refused("call", 'acme_opn = { error = "null" }', "acme_opn: no such function",
                     "did you mean acme_open?")
        self.refused("call", 'acme_open = { error = "nul" }', "nul: must be a convention", "did you mean null?")

    def test_other_items_that_are_not_there(self) -> None:
        self.refused("since", "ACME_FASTT = 44", "ACME_FASTT: no such item", "did you mean ACME_FAST?")
        self.refused("skip", 'ACME_FASTT = "why"', "ACME_FASTT: no such item", "did you mean ACME_FAST?")
        self.refused("man", 'acme_opn = "acme(3)"', "acme_opn: no such enum, structure or function")
        self.refused("errno", 'EINVALL = { says = "x" }', "EINVALL: no such errno", "did you mean EINVAL?")

    def test_a_release_that_cannot_be(self) -> None:
        for release in (45, 43, 1):
            self.refused("since", f"ACME_FAST = {release}", f"release 44 has it and no facts are of older ones; {release} cannot be\n  leave it out")

    def test_a_key_that_an_entry_does_not_have(self) -> None:
        self.refused("field", '"acme_attr.mode" = { enumm = "acme_mode" }', "enumm: no such key", "did you mean enum?")
        self.refused("call", 'acme_open = { err = "null" }', "err: no such key")


class WrongKinds(OfAcme):
    def test_a_number_is_wanted(self) -> None:
        for path in ("in", "list", "call", "u"):
            for says in ('enum = "acme_mode"', 'flags = "acme_caps"', "bool = true", 'form = "hex"',
                         'form = "ns"'):
                with self.subTest(path=path, says=says):
                    self.refused("field", f'"acme_attr.{path}" = {{ {says} }}',
                                 f"acme_attr.{path}: is no integer but a")

    def test_an_address_takes_its_size(self) -> None:
        self.refused("field", '"acme_attr.mode" = { form = "guid" }', "guid takes 8 bytes, and __u32 has 4")
        self.refused("field", '"acme_attr.mac" = { form = "gid" }', "gid takes 16 bytes, and __u8[6] has 6")
        self.refused("field", '"acme_attr.mode" = { form = "sockaddr" }', "acme_attr.mode: is no address")

    def test_text_and_bytes_are_arrays(self) -> None:
        self.refused("field", '"acme_attr.mode" = { text = true }', "is no text but __u32")
        self.refused("field", '"acme_attr.data" = { text = true }', "is no text but void *")
        self.refused("field", '"acme_attr.mode" = { bytes = true }', "is no array but __u32")

    def test_a_count_is_an_integer_beside_what_it_counts(self) -> None:
        self.refused("field", '"acme_attr.list" = { count = "nmber" }', "acme_attr.nmber: no such field",
                     "did you mean number?")
        self.refused("field", '"acme_attr.list" = { count = "data" }', "is no integer but a pointer")
        self.refused("field", '"acme_attr.mode" = { count = "number" }', "is neither a pointer nor an array")
        self.refused("field", '"acme_attr.list" = { power = true }', "power is about a count")
        self.refused("field", '"acme_attr.list" = { count = "number", in_bytes = 64 }', "in_bytes is about what counts an array without a size")

    def test_what_is_pointed_to_must_be_known(self) -> None:
        self.refused("field", '"acme_attr.data" = { points = "one" }', "points to no structure")
        self.refused("field", '"acme_attr.handle" = { points = "one" }', "points to no structure")
        self.refused("field", '"acme_attr.mode" = { points = "one" }', "points to no structure")
        self.refused("field", '"acme_attr.list" = { points = "many" }', "many: must be one, list or each")
        self.refused("field", '"acme_attr.list" = { points = "each" }', "each is of counted pointers to pointers")
        self.refused("field", '"acme_attr.list" = { secret = true }', "is no bytes that could be secret")
        self.refused("field", '"acme_attr.mode" = { null = true }', "is no pointer that could be NULL")
        self.refused("field", '"acme_attr.list" = { points = "list" }', "a list is of one kind of structure")

    def test_one_meaning_is_enough(self) -> None:
        self.refused("field", '"acme_attr.mode" = { enum = "acme_mode", form = "hex" }', "says both enum and form")

    def test_a_selector_is_an_integer(self) -> None:
        self.refused_table('[guard."acme_attr.in"]\nACME_CAP_A = ["mode"]',
                           "acme_attr.in: is no integer but a record")
        self.refused_table('[choice."acme_attr.data"]\nmode = ["!0"]',
                           "acme_attr.data: is no integer but a pointer")

    def test_what_is_guarded_must_be_there(self) -> None:
        self.refused('guard."acme_attr.mask"', 'ACME_CAP_A = ["mdoe"]', "acme_attr.mdoe: no such field",
                     "did you mean mode?")
        self.refused('choice."acme_attr.mode"', 'mode = ["ACME_FAST"]', "mode: is what tells when others are valid, and so is valid itself")
        self.refused('choice."acme_attr.mode"', '"u.c" = "else"', "acme_attr.u.c: no such field")

    def test_what_guards_is_a_mask(self) -> None:
        self.refused_table('[guard."acme_attr.mode"]\nACME_FAST = ["number"]\n[field]\n"acme_attr.mode" = { enum = "acme_mode" }',
                           "acme_attr.mode: is no mask, and has one value of enum acme_mode at a time")

    def test_signs_of_a_choice_agree(self) -> None:
        self.refused('choice."acme_attr.mode"', '"u.a" = ["!ACME_SLOW", "ACME_FAST"]', "go for all values or for none")

    def test_a_default_fits_in_its_field(self) -> None:
        for field, value, words in (("few", 8, "0 to 7, as unsigned int of 3 bits has it"), ("some", -5, "-4 to 3, as int of 3 bits has it"), ("few", '"ACME_EXTRA"', "0 to 7"),
                                    ("few", '"ACME_CAP_C | ACME_EXTRA"', "0 to 7"), ("on", 2, "0 to 1, as _Bool has it"), ("few", -1, "0 to 7")):
            with self.subTest(field, value=value):
                self.refused('default."acme_attr"', f"{field} = {value}", f"{field}: ", "must be from " + words)
        self.load('[default."acme_attr"]\nfew = "ACME_CAP_A | ACME_CAP_B | ACME_CAP_C"\nsome = -4\non = true\nlist = "NULL"\nnumber = "sizeof"\n[field]\n"acme_attr.few" = { flags = "acme_caps" }\n')

    def test_a_kind_of_enum_that_there_is_not(self) -> None:
        self.refused("enum", 'acme_caps = { kind = "flag" }', "flag: must be values, flags or mixed")


class WrongTypes(OfAcme):
    def test_an_entry_that_must_be_a_table(self) -> None:
        for table, key in (("field", '"acme_attr.mode"'), ("enum", "acme_caps"), ("struct", "acme_attr"),
                           ("name", "mode"), ("call", "acme_open"), ("meaning", "ACME_FAST"),
                           ("errno", "EINVAL"),
                           ("guard", '"acme_attr.mask"'), ("choice", '"acme_attr.mode"'), ("code", "speed"),
                           ("default", "acme_attr")):
            for value in ("1", '"text"', "[]", "true"):
                with self.subTest(table=table, value=value):
                    self.refused(table, f"{key} = {value}", "must be a table")

    def test_a_value_of_an_entry_that_has_another_type(self) -> None:
        self.refused("field", '"acme_attr.mode" = { enum = 1 }', "enum: must be an enum")
        self.refused("field", '"acme_attr.mode" = { bool = "yes" }', "bool: must be true, or not be there")
        self.refused("enum", 'acme_caps = { sentinels = "ACME_CAP_A" }', "sentinels: must be a list")
        self.refused("meaning", "ACME_FAST = { says = 1 }", "says: must be whole sentences")

    def test_lists_hold_names(self) -> None:
        self.refused("enum", "acme_caps = { sentinels = [1] }", "sentinels: must be an enumerator")
        self.refused("enum", "acme_made = { macros = [[]] }", "macros: must be a macro")
        self.refused('guard."acme_attr.mask"', "ACME_CAP_A = [1]", "must be the path of a field")
        self.refused('guard."acme_attr.mask"', 'ACME_CAP_A = "mode"', "ACME_CAP_A: must be a list")
        self.refused('choice."acme_attr.mode"', '"u.a" = [1]', "u.a: must be a text")

    def test_single_values(self) -> None:
        self.refused("unnamed", "ACME_OLD = 1", "must be a name of C")
        self.refused("since", 'ACME_FAST = "44"', "must be a release")
        self.refused("since", "ACME_FAST = true", "must be a release")
        self.refused("man", "acme_open = 3", "must be a man page")
        self.refused("default.acme_attr", "mode = 1.5", "must be a number, a truth value or a name")
        self.refused("code.speed", "fast = \"x\"", "fast: must be a number")
        self.refused_at(5, '# one\n[code.speed]\n\n1 = "x"\n01 = "y"\n', "01: is there as 1 as well")
        self.refused("code.speed", "4294967296 = \"x\"", "must be a number of 16 bits")
        self.refused("code.speed", "1 = 2", "1: must be a text")
        self.refused("code.speed", 'macros = ["A B"]', "'A B': must be a name of C")
        self.refused("code.speed", "macros = 1", "macros: must be a text")

    def test_a_table_that_is_no_table(self) -> None:
        for text in ("field = 1\n", "[[field]]\na = 1\n"):
            self.refused_at(1, text, "field: must be a table")

    def test_an_entry_that_says_nothing(self) -> None:
        self.refused("field", '"acme_attr.mode" = {}', "says nothing")


class Twice(OfAcme):
    def test_two_files_that_say_the_same_stop_at_the_second(self) -> None:
        for entry in ('[field]\n"acme_attr.mode" = { form = "hex" }', '[name]\nmode = { form = "hex" }',
                      '[enum]\nacme_caps = { kind = "flags" }', "[struct]\nacme_attr = { hidden = true }",
                      '[guard."acme_attr.mask"]\nACME_CAP_A = ["mode"]', '[choice."acme_attr.mode"]\n"u.a" = "else"',
                      '[code.speed]\n1 = "x"', "[since]\nACME_FAST = 44", '[default."acme_attr"]\nmode = 1',
                      '[call]\nacme_open = { error = "minus-one" }', '[man]\nacme_open = "x(3)"',
                      '[meaning]\nACME_FAST = { says = "x." }', '[errno]\nEIO = { says = "x." }', '[skip]\nACME_FAST = "x"'):
            with self.subTest(entry):
                said = self.fails(lambda: self.load(entry, two=f"\n{entry}"))
                line = 1 if entry.startswith("[default.") else 2  # of a table that is an entry
                self.assertRegex(said, f"two.toml:{line + 1}: .* says this twice\n  one of the two is enough: the other is .*/one.toml:{line}$")

    def test_a_mask_that_had_no_bits_may_get_some(self) -> None:
        """From a file of whoever has newer headers, before or behind the one that knows it without."""
        none, some = '[field]\n"acme_attr.mask" = { zero = true }', '[field]\n"acme_attr.mask" = { flags = "acme_caps" }'
        for one, two in ((none, some), (some, none)):
            self.assertEqual(self.load(one, two=two).field["acme_attr.mask"], {"flags": "acme_caps"})
        for one, two in ((none, none), (some, some)):
            self.assertIn("says this twice", self.fails(lambda one=one, two=two: self.load(one, two=two)))

    def test_a_code_is_the_same_by_either_number(self) -> None:
        said = self.fails(lambda: self.load('[code.speed]\n16 = "x"', two='[code.speed]\n0x10 = "x"'))
        self.assertRegex(said, "two.toml:2: .* says this twice\n  one of the two is enough: the other is .*/one.toml:2$")

    def test_two_files_may_have_a_part_of_a_table_each(self) -> None:
        table = '[guard."acme_attr.mask"]\nACME_CAP_{} = ["mode"]'
        fields = '[field]\n"acme_attr.mask" = { flags = "acme_caps" }\n"acme_attr.mode" = { enum = "acme_mode" }'
        self.assertEqual(set(self.load(table.format("A"), two=table.format("B"), three=fields).guard["acme_attr.mask"]), {"ACME_CAP_A", "ACME_CAP_B"})
        self.assertEqual(self.load('[code.speed]\n1 = "slow"', two='[code.speed]\n0x10 = "fast"').code["speed"], {1: "slow", 16: "fast"})
        table = '[choice."acme_attr.mode"]\n{} = ["ACME_FAST"]'
        self.assertEqual(set(self.load(table.format('"u.a"'), two=table.format("mask")).choice["acme_attr.mode"]), {"u.a", "mask"})

    def test_one_file_that_says_the_same_twice_stops(self) -> None:
        said = self.fails(lambda: self.load("[since]\nACME_FAST = 44\nACME_FAST = 44\n"))
        self.assertIn("one.toml:3: not TOML: ACME_FAST: stands here twice", said)


class Syntax(OfAcme):
    def test_a_mistake_is_told_with_its_line(self) -> None:
        for text, line in (("\n[field\n", 2), ("[field]\n\n\"a\" = {\n", 3), ("[field]\na = = 1", 2),
                           ('[man]\na = "x', 2)):
            with self.subTest(text):
                self.assertIn(f"one.toml:{line}: not TOML: ", self.fails(lambda: self.load(text)))

    def test_the_line_is_told_however_an_entry_is_laid_out(self) -> None:
        for text, line in (("[field]\n  'acme_attr.gone' = { be = true }", 2),
                           ("\n [ guard . 'acme_attr.gone' ]\nACME_CAP_A = []", 2),
                           ('[guard."acme_attr.gone"]  # why', 1), ('\nx = 1\n[field]', 2), ('# one\nx.y = 1', 2),
                           ('[field]\n\nacme_attr . "gone" = { be = true }', 3)):
            with self.subTest(text):
                self.assertIn(f"one.toml:{line}: ", self.fails(lambda: self.load(text)))

    def test_bytes_that_are_no_text_are_refused(self) -> None:
        self.put("lore/one.toml", "")
        (self.folder / "lore/one.toml").write_bytes(b"[man]\n\xff = 1")
        self.assertIn("not UTF-8", self.fails(lambda: lore.load(self.api(), self.folder / "lore")))

    def test_what_is_nested_too_deep_is_refused(self) -> None:
        self.assertIn("too deep", self.fails(lambda: self.load("[field]\na = " + "[" * 100000)))

    def test_random_damage_is_refused_or_harmless(self) -> None:
        chance = random.Random(44)
        tables = ("unnamed", "enum", "struct", "name", "field", "guard", "choice", "code", "since",
                  "default", "call",
                  "meaning", "errno", "man", "skip")
        keys = ("ACME_OLD", "acme_caps", "acme_attr", "mode", '"acme_attr.mode"', '"acme_attr.mask"',
                "acme_open", "EIO",
                '"acme_attr()"', "1", '"acme_attr.u"', '"."', '""')
        values = ("1", '"hex"', '"acme_mode"', "true", "[]", "[1]", '["mode"]', "1979-05-27", "1.5", "-1",
                  "nan",
                  '{ form = "hex" }', '{ mode = ["ACME_SLOW"] }', '{ 1 = "x" }', '{ "" = [""] }', '{ count = "" }',
                  '{ says = "x" }', '{ "u.a" = ["!", "&"] }', '{ sentinels = [""] }', "{ mode = {} }")
        api = self.api()
        for _ in range(1500):
            text = f"[{chance.choice(tables)}]\n{chance.choice(keys)} = {chance.choice(values)}\n"
            self.put("lore/one.toml", text)
            try:
                lore.load(api, self.folder / "lore")
            except GenError as e:
                self.assertIn("one.toml:", str(e), text)


class OlderHeaders(unittest.TestCase):
    def test_lore_about_newer_releases_is_fine_where_older_headers_are_scanned(self) -> None:
        found = headers.committed()
        names = merge.Names.of(found[0])
        order = groups.load()
        api = merge.merge(found, [g.name for g in order])
        known = lore.load(api)
        self.assertIn("ibv_mr_init_attr.comp_mask", known.field)
        merge.keep_only(api, names, found[0].release)
        planned = plan.build(api, known, order)
        self.assertNotIn("ibv_mr_init_attr", {s.name for s in planned.structs})

    def test_an_unnamed_enum_has_its_name_in_each_release(self) -> None:
        order = groups.load()
        for index, release in enumerate(headers.committed_paths()):
            with self.subTest(release=release):
                found = headers.committed()
                names = merge.Names.of(found[index])
                api = merge.merge(found, [g.name for g in order])
                known = lore.load(api)
                merge.keep_only(api, names, release)
                told = Remarks()
                name_unnamed(api, known, told)
                self.assertEqual(told.said, [])


class MadeUpNames(OfAcme):
    def named(self, *values: str) -> set[str]:
        self.put("acme.h", f"enum {{ {', '.join(values)} }};")
        group = groups.HeaderGroup("acme", ["acme.h"], "libacme.so.1")
        api = merge.merge([scan([group], Tree(self.folder), 44)], ["acme"])
        name_unnamed(api, Lore(), Remarks())
        return set(api.enums())

    def test_the_words_that_all_share_name_an_enum(self) -> None:
        self.assertEqual(self.named("ACME_QP_FLAGS_A", "ACME_QP_FLAGS_B"), {"acme_qp_flags"})

    def test_one_enumerator_alone_gives_all_but_what_it_is_itself(self) -> None:
        self.assertEqual(self.named("ACME_QP_FLAGS_INLINE_WRITE"), {"acme_qp_flags"})
        self.assertEqual(self.named("ACME_INVALID_LKEY"), {"acme_invalid"})

    def test_enumerators_that_share_nothing_give_the_first_its_name(self) -> None:
        self.assertEqual(self.named("ONE", "TWO"), {"one"})


if __name__ == "__main__":
    unittest.main()
