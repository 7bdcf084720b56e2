"""Budgets that outlive the process."""

import json
import os
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from lastbit import _html, _lastbit
from lastbit._shown import down, up

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True)
class LedgerBudget:
    """What was spent of a dataset's budget, or of one analyst's part of it, and what is left."""

    dataset: str
    """The dataset."""
    analyst: "str | None"
    """The analyst whose releases these are; None for all releases."""
    neighbours: str
    """What neighbouring data differ in."""
    measure: str
    """`epsilon` or `rho`: what limit, spent and left are."""
    limit: "Fraction | None"
    """The most that releases may cost together; None for an analyst who has no limit of their own."""
    target: "tuple[Fraction, Fraction] | None"
    """The (ε, δ) that a limit in ρ is for."""
    spent: Fraction
    """What releases have cost."""
    left: Fraction
    """What they may still cost."""
    charges: int
    """How many releases were charged."""
    unfinished: int
    """How many of them have not ended: they may be computed again at no charge."""


class Verified(NamedTuple):
    """What a check of a whole ledger found."""

    holds: bool
    """Whether all hashes, sums and rules hold, and the ledger has the entry that was asked for."""
    head: "str | None"
    """The last entry of a whole ledger."""
    problem: "str | None"
    """What is wrong."""
    charges: int
    """How many releases were charged."""
    text: str
    """The verdict in words."""

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self.text.rstrip()


@dataclass(frozen=True, eq=False)
class Ledger:
    """A ledger of privacy losses in one file that never forgets: what `lastbit budget` keeps, and `lastbit release --ledger` charges.

    path: a ledger that exists; `Ledger.create` makes one. force_network: accept a network file system, which only one machine may use.

    >>> import lastbit, tempfile
    >>> path = tempfile.mkdtemp() + "/budget.db"
    >>> ledger = lastbit.Ledger.create(path, dataset="trips-2026", unit="rider", epsilon=3)
    >>> print(ledger)
    trips-2026: ε = 3 left of 3, 0 releases, one rider added or removed
    head 2:...
    >>> lastbit.Ledger(path).budgets[0].left
    Fraction(3, 1)
    """

    path: str
    """The file."""
    force_network: bool = field(default=False, kw_only=True)
    """Whether a network file system is accepted."""

    def __init__(self, path: "str | PathLike[str]", *, force_network: bool = False) -> None:
        object.__setattr__(self, "path", os.fspath(path))
        object.__setattr__(self, "force_network", force_network)
        # What is wrong with it is said now.
        self._shown()

    @classmethod
    def create(
        cls,
        path: "str | PathLike[str]",
        *,
        dataset: str,
        unit: "str | None" = None,
        epsilon: Any = None,
        rho: Any = None,
        delta: Any = None,
        force_network: bool = False,
    ) -> "Ledger":
        """Declares a dataset and the most that all releases from it may cost, in a new ledger if there is none at the path.

        dataset: the name of the data; it must not be declared yet. unit: whose privacy is protected, such as "rider"; if it is left out, the first release
        settles it. The limit: epsilon (pure losses), rho (zero-concentrated ones), or epsilon with delta (anything that is so private together).
        """
        _lastbit._ledger_declare(
            path, dataset=dataset, unit=unit, epsilon=epsilon, rho=rho, delta=delta, force_network=force_network
        )
        return cls(path, force_network=force_network)

    def declare(
        self, dataset: str, *, unit: "str | None" = None, epsilon: Any = None, rho: Any = None, delta: Any = None
    ) -> None:
        """Declares another dataset.

        >>> import lastbit, tempfile
        >>> ledger = lastbit.Ledger.create(tempfile.mkdtemp() + "/budget.db", dataset="trips", epsilon=1)
        >>> ledger.declare("visits", unit="visitor", epsilon=1, delta="1e-6")
        >>> [budget.dataset for budget in ledger.budgets]
        ['trips', 'visits']
        """
        # A ledger that was removed meanwhile must not be made anew.
        self._shown()
        _lastbit._ledger_declare(
            self.path, dataset=dataset, unit=unit, epsilon=epsilon, rho=rho, delta=delta, force_network=self.force_network
        )

    def limit(
        self, dataset: str, *, analyst: "str | None" = None, epsilon: Any = None, rho: Any = None, delta: Any = None
    ) -> None:
        """Sets another limit for a dataset, or for one analyst's releases from it. What was spent stays spent.

        >>> import lastbit, tempfile
        >>> ledger = lastbit.Ledger.create(tempfile.mkdtemp() + "/budget.db", dataset="trips", epsilon=1)
        >>> ledger.limit("trips", analyst="ann", epsilon="1/2")
        >>> [(budget.analyst, str(budget.left)) for budget in ledger.budgets]
        [(None, '1'), ('ann', '1/2')]
        """
        _lastbit._ledger_limit(
            self.path, dataset=dataset, analyst=analyst, epsilon=epsilon, rho=rho, delta=delta, force_network=self.force_network
        )

    @property
    def budgets(self) -> "list[LedgerBudget]":
        """The budgets of all datasets, each followed by those of its analysts."""
        return [_budget(told) for told in self.json()["budgets"]]

    @property
    def head(self) -> str:
        """The last entry, as its number and hash, which stands for the whole ledger: keep it elsewhere, and `verify` notices an older copy."""
        return _head(self.json()["head"])

    def history(self) -> "list[dict[str, Any]]":
        """All entries, in order, as `lastbit budget history --json` has them.

        >>> import lastbit, tempfile
        >>> ledger = lastbit.Ledger.create(tempfile.mkdtemp() + "/budget.db", dataset="trips", epsilon=1)
        >>> [entry["kind"] for entry in ledger.history()]
        ['ledger', 'dataset']
        """
        entries: list[dict[str, Any]] = json.loads(_lastbit._ledger_history(self.path, self.force_network))["entries"]
        return entries

    def verify(self, head: "str | None" = None) -> Verified:
        """Checks all hashes, sums and rules of the ledger; with the `head` of a claim, also whether the ledger has that entry.

        >>> import lastbit, tempfile
        >>> ledger = lastbit.Ledger.create(tempfile.mkdtemp() + "/budget.db", dataset="trips", epsilon=1)
        >>> bool(ledger.verify(ledger.head)), bool(ledger.verify("9:" + "0" * 64))
        (True, False)
        """
        said, holds, text = _lastbit._ledger_verify(self.path, head, self.force_network)
        told = json.loads(said)
        return Verified(holds, None if told["head"] is None else _head(told["head"]), told["problem"], told["charges"], text)

    def export(self) -> "dict[str, Any]":
        """The whole ledger, verified, as `lastbit budget export` prints it."""
        exported: dict[str, Any] = json.loads(_lastbit._ledger_export(self.path, self.force_network))
        return exported

    def json(self) -> "dict[str, Any]":
        """The budgets, as `lastbit budget show --json` prints them."""
        shown: dict[str, Any] = json.loads(self._shown()[0])
        return shown

    def _shown(self) -> "tuple[str, str]":
        return _lastbit._ledger_show(self.path, self.force_network)

    def __str__(self) -> str:
        return self._shown()[1].rstrip()

    def _repr_html_(self) -> str:
        rows = [
            (
                budget.dataset if budget.analyst is None else f"{budget.analyst} on {budget.dataset}",
                f"{'ε' if budget.measure == 'epsilon' else 'ρ'} = {down(budget.left)}",
                "" if budget.limit is None else down(budget.limit),
                up(budget.spent),
                str(budget.charges),
                budget.neighbours,
            )
            for budget in self.budgets
        ]
        return _html.block(
            _html.headline(f"ledger {self.path}"),
            _html.table(["dataset", "left", "limit", "spent", "releases", "neighbours"], rows),
            _html.small(f"head {self.head}"),
        )


def _head(told: "dict[str, Any]") -> str:
    return f"{told['entry']}:{told['hash']}"


def _budget(told: "dict[str, Any]") -> LedgerBudget:
    limit = told["limit"]
    target = None if limit is None else limit.get("target")
    return LedgerBudget(
        dataset=told["dataset"],
        analyst=told.get("analyst"),
        neighbours=told["neighbours"],
        measure={"pure": "epsilon", "zero-concentrated": "rho"}[told["measure"]],
        limit=None if limit is None else Fraction(limit["amount"]["exact"]),
        target=None if target is None else (Fraction(target["epsilon"]["exact"]), Fraction(target["delta"]["exact"])),
        spent=Fraction(told["spent"]["exact"]),
        left=Fraction(told["left"]["exact"]),
        charges=told["charges"],
        unfinished=told["unfinished"],
    )
