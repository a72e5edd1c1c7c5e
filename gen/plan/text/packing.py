# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Texts that take a third of their length: what was there before is told by where and how long, and all of it in codes of few bits.

It is what deflate does, with the same codes for all of it. zlib itself makes other bytes from one version to the next.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator

from ...errors import GenError
from ...fast.kept import digest, kept
from ...fast.record import record

CODE = ("plan/text/packing",)
LETTERS = 128  # symbols from here on are lengths of what is repeated
SHORTEST = 3
FAR = 4096  # from where on the shortest takes more bits than its letters
TRIED = 32  # places where a text was before, the last ones first
STEP = 16  # bytes that are compared at once
LONGEST = 12  # bits of a code: VX_LONGEST_CODE of runtime/src/know/tables.h


@record
class Code:
    """Canonical: how many symbols have a code of one bit, of two, and so on; the symbols, in the order of their codes."""

    counts: list[int]
    symbols: list[int]

    def codes(self) -> dict[int, str]:
        found, code, symbols = {}, 0, iter(self.symbols)
        for length, count in enumerate(self.counts, 1):
            found |= {next(symbols): f"{code + i:0{length}b}" for i in range(count)}
            code = code + count << 1
        return found


# A byte, or how many are repeated and from how far back: symbols, and the bits that follow each; distances from -1, for none.
Part = tuple[int, str, int, str]


@record
class Packed:
    size: int  # of what it is of
    data: bytes
    letters: Code  # and lengths
    distances: Code


def pack(texts: dict[str, str]) -> Packed:
    """Texts, one behind the other, of which none repeats what is in another: so that each is kept by its name.

    All of them are kept by what they say as well: trees of headers that take turns differ in a few texts.
    """
    says = [part for name, text in texts.items() for part in (name.encode(), text.encode())]
    return kept(f"packed-{digest(says).hex()[:8]}", says, lambda: _pack(texts), CODE)


def _pack(texts: dict[str, str]) -> Packed:
    if wrong := next((c for text in texts.values() for c in text if not c.isascii()), ""):
        raise GenError(f"a text has {wrong!r}, which cannot be packed", hint="plain ASCII, please")
    parts = [part for name, text in texts.items()
             for part in kept(f"parts-{name}", [text.encode()], lambda text=text: list(_parts(text.encode())), CODE)]
    letters, distances = _code(p[0] for p in parts), _code(p[2] for p in parts if p[2] >= 0)
    of_letter, of_distance = letters.codes(), {-1: "", **distances.codes()}
    bits = "".join([of_letter[letter] + more + of_distance[distance] + further for letter, more, distance, further in parts])
    return Packed(sum(map(len, texts.values())), _bytes(bits), letters, distances)


def _bytes(bits: str) -> bytes:
    count = -(-len(bits) // 8) + 2  # three bytes are read at a time
    return int(bits.ljust(8 * count, "0"), 2).to_bytes(count, "big")


def _parts(data: bytes) -> Iterator[Part]:
    seen: dict[bytes, list[int]] = {}
    at = 0
    while at < len(data):
        length, before = _longest(data, at, seen.get(data[at : at + SHORTEST], []))
        if length < SHORTEST or (length == SHORTEST and at - before > FAR):
            length = 1
            yield data[at], "", -1, ""
        else:
            symbol, more = _split(length - SHORTEST)
            yield LETTERS + symbol, more, *_split(at - before - 1)
        for place in range(at, at + length):
            seen.setdefault(data[place : place + SHORTEST], []).append(place)
        at += length


def _longest(data: bytes, at: int, places: list[int]) -> tuple[int, int]:
    """The length of what stands at one of these places too, and the last place where as much does."""
    best, found = 0, 0
    for place in places[: -TRIED - 1 : -1]:
        if at + best < len(data) and data[place + best] == data[at + best] and data[place : place + best] == data[at : at + best]:
            best, found = _same(data, at, place, best + 1), place
    return best, found


def _same(data: bytes, at: int, place: int, length: int) -> int:
    """How many bytes are the same at both, of which these are."""
    while at + length < len(data):
        one, other = data[at + length : at + length + STEP], data[place + length : place + length + STEP]
        if one != other:
            return length + next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), 0)
        length += len(one)
    return length


def _split(number: int) -> tuple[int, str]:
    """The two highest bits of a number and how many follow as one number; what follows."""
    if number < 2:
        return number, ""
    more = number.bit_length() - 2
    return 2 * more + (number >> more), f"{number & (1 << more) - 1:0{more}b}" if more else ""


def _code(symbols: Iterable[int]) -> Code:
    """Huffman's; what is so seldom that its code would be too long is taken for as many as make it short enough."""
    counts, least = Counter(symbols), 1
    while max((bits := _lengths({symbol: max(count, least) for symbol, count in counts.items()})).values(), default=0) > LONGEST:
        least *= 2
    by_length = sorted(counts, key=lambda symbol: (bits[symbol], symbol))
    return Code([sum(bits[s] == n for s in counts) for n in range(1, max(bits.values(), default=0) + 1)], by_length)


def _lengths(counts: dict[int, int]) -> Counter[int]:
    heap = [(count, symbol, [symbol]) for symbol, count in sorted(counts.items())]
    bits = Counter({symbol: len(counts) == 1 for symbol in counts})
    heapq.heapify(heap)
    while len(heap) > 1:
        (some, _, one), (more, number, other) = heapq.heappop(heap), heapq.heappop(heap)
        bits.update(one + other)
        heapq.heappush(heap, (some + more, number, one + other))
    return bits


def unpack(packed: Packed) -> str:
    """The text again, as runtime/src/know/unpack.c does it."""
    bits = (byte >> i & 1 for byte in packed.data for i in range(7, -1, -1))
    names = [{code: symbol for symbol, code in x.codes().items()} for x in (packed.letters, packed.distances)]
    out = bytearray()
    while len(out) < packed.size:
        letter = _symbol(bits, names[0])
        if letter < LETTERS:
            out.append(letter)
            continue
        length = SHORTEST + _number(bits, letter - LETTERS)
        distance = 1 + _number(bits, _symbol(bits, names[1]))
        for _ in range(length):
            out.append(out[-distance])
    return out.decode()


def _symbol(bits: Iterator[int], names: dict[str, int]) -> int:
    code = ""
    while code not in names:
        code += str(next(bits))
    return names[code]


def _number(bits: Iterator[int], symbol: int) -> int:
    if symbol < 2:
        return symbol
    number = 2 + symbol % 2
    for _ in range(symbol // 2 - 1):
        number = number << 1 | next(bits)
    return number
