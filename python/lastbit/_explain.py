"""What words mean: rules, lemmas, verdicts, mechanisms, and the words that all pages share."""

from dataclasses import dataclass
from typing import Any

from lastbit import _lastbit


@dataclass(frozen=True)
class Explanation:
    """What a word means. `str` is the text that `lastbit explain` prints.

    >>> import lastbit
    >>> lastbit.explain("sensitivity").group
    'words'
    """

    group: str
    word: str
    aliases: tuple[str, ...]
    statement: str
    reason: str
    example: str
    see: str
    text: str

    def __str__(self) -> str:
        return self.text.rstrip()


def explain(word: str, /) -> Explanation:
    """What a word means: a rule of the logic or of the error semantics, a lemma, a verdict, a mechanism, a word of the glossary.

    Raises ParameterError, with the nearest words, if there is no such word.

    >>> import lastbit
    >>> lastbit.explain("LAP-GEN").statement
    'z Laplace of scale b: z<2> = z<1> + k at cost |k|/b, where k is free of z.'
    >>> lastbit.explain("laplce")
    Traceback (most recent call last):
    lastbit.errors.ParameterError: there is no word 'laplce': the nearest are laplace, ...
    """
    fields: dict[str, Any] = _lastbit._explain(word)
    fields["aliases"] = tuple(fields["aliases"])
    return Explanation(**fields)
