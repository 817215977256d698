"""How long rule ``a1`` takes on large texts: ``python -m benchmarks.alignment``."""

from __future__ import annotations

import random
from time import perf_counter

from lineage.align import align

_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"]


def _line(source: random.Random, words: int = 12) -> str:
    found = ["".join(source.choices(_SYLLABLES, k=source.randint(1, 4))) for _ in range(words)]
    return " ".join(found).capitalize() + "."


def one_in_a_hundred_lines_edited() -> tuple[str, str]:
    """2 MB, of which 1 % of the lines got another word."""
    source = random.Random(1)
    lines = [_line(source) for _ in range(29_000)]
    edited = [line.replace(line.split()[3], "edited", 1) if source.random() < 0.01 else line for line in lines]
    return "\n".join(lines), "\n".join(edited)


def one_of_many_equal_lines_deleted() -> tuple[str, str]:
    """20,000 equal lines, one deleted."""
    return "Rent is due.\n" * 20_000, "Rent is due.\n" * 19_999


def long_line_edited_in_the_middle() -> tuple[str, str]:
    """One line of 200 kB without a sentence end, a word changed in its middle."""
    source = random.Random(2)
    words = [_line(source, 1)[:-1] for _ in range(33_000)]
    edited = [*words[:16_500], "edited", *words[16_501:]]
    return " ".join(words), " ".join(edited)


def few_distinct_lines() -> tuple[str, str]:
    """20,000 lines drawn from five, 1 % of them drawn again."""
    source = random.Random(3)
    distinct = [_line(source) for _ in range(5)]
    lines = [source.choice(distinct) for _ in range(20_000)]
    edited = [source.choice(distinct) if source.random() < 0.01 else line for line in lines]
    return "\n".join(lines), "\n".join(edited)


CASES = [
    one_in_a_hundred_lines_edited,
    one_of_many_equal_lines_deleted,
    long_line_edited_in_the_middle,
    few_distinct_lines,
]


def measure() -> list[tuple[str, float]]:
    """The name of each case, and the seconds that its alignment took."""
    measured: list[tuple[str, float]] = []
    for case in CASES:
        a, b = case()
        begin = perf_counter()
        align(a, b)
        measured.append((case.__name__.replace("_", " "), perf_counter() - begin))
    return measured


if __name__ == "__main__":
    for name, seconds in measure():
        print(f"{name:<40} {seconds:8.3f} s")
