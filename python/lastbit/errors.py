"""What can be refused, and why. Every exception of this package is a `lastbit.Error`.

When one is raised, nothing was released and nothing was written.
"""

__all__ = [
    "BudgetExceeded",
    "CertificateError",
    "ClaimMismatch",
    "DomainError",
    "Error",
    "NoiseOverflow",
    "ParameterError",
    "ProgramError",
    "SystemFailure",
    "UnsupportedType",
]


class Error(Exception):
    """The base of all exceptions of this package."""


class ParameterError(Error, ValueError):
    """A parameter is not a number, or one that cannot be used: not positive, out of range, missing."""


class UnsupportedType(Error, TypeError):
    """A value or a parameter is of a type that the function does not take."""


class _Indexed(Error):
    def __init__(self, message: str, index: "int | None" = None) -> None:
        super().__init__(message)
        self.index = index
        """The position of the value, from 0, in row-major order; `None` if there is only one."""


class DomainError(_Indexed, ValueError):
    """A value is not in the mechanism's domain: NaN, infinite, or too large for the type.

    The privacy claim covers finite values only, so this tells something about the data.
    """


class NoiseOverflow(_Indexed, OverflowError):
    """A noisy result does not fit its type. A function of the noisy result, so it costs no privacy."""


class BudgetExceeded(Error):
    """A release would cost more than what is left of the budget."""


class ClaimMismatch(Error, ValueError):
    """Claims about different inputs, whose losses do not add; the message says how to state a common one."""


class SystemFailure(Error, OSError):
    """No random bytes from the operating system, a floating-point environment that is not the default, or a stream of values that failed."""


class ProgramError(Error, ValueError):
    """A text of the mechanism language or of FPCore has a mistake, or cannot be dealt with; the message says where."""

    def __init__(
        self,
        shown: str,
        message: "str | None" = None,
        line: "int | None" = None,
        column: "int | None" = None,
        hint: "str | None" = None,
    ) -> None:
        super().__init__(shown)
        self.message = message if message is not None else shown
        """What is wrong, without the place."""
        self.line = line
        """The line, from 1."""
        self.column = column
        """The column, from 1."""
        self.hint = hint
        """What may help."""

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (str(self), self.message, self.line, self.column, self.hint)


class CertificateError(Error, ValueError):
    """A certificate is none, or does not prove what it says."""
