"""The exceptions of this package. All of them are a `lastbit.Error`.

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
    """A parameter is missing, not a number, or cannot be used: not positive, or out of range."""


class UnsupportedType(Error, TypeError):
    """A value or a parameter has a type that the function does not accept."""


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
    """A noisy result does not fit its type. This depends on noisy results alone, so it costs no privacy."""


class BudgetExceeded(Error):
    """A release would cost more than is left in the budget."""


class ClaimMismatch(Error, ValueError):
    """The losses of claims about different inputs do not add; the message says how to state a common claim."""


class SystemFailure(Error, OSError):
    """The operating system gave no random bytes, the floating-point environment is not the default, or a stream of values failed."""


class ProgramError(Error, ValueError):
    """A text of the mechanism language or of FPCore has a mistake, or is not supported; the message says where."""

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
        """The message, without the place."""
        self.line = line
        """The line, from 1."""
        self.column = column
        """The column, from 1."""
        self.hint = hint
        """A suggestion of what to do."""

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (str(self), self.message, self.line, self.column, self.hint)


class CertificateError(Error, ValueError):
    """The text is not a certificate, or the certificate does not prove what it says."""
