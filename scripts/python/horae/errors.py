"""What may go wrong, as exceptions: the text is the one line that the program says."""


class HoraeError(Exception):
    """`horae` ended with exit code 1: a check failed, or a model broke one of its own rules."""

    code = 1


class BadInput(HoraeError):
    """Exit code 2: file:line:column, what was found, what was expected, the nearest valid name."""

    code = 2


class DoesNotFit(HoraeError):
    """Exit code 3: the program does not fit the chip, or the queue pairs the NIC. `result` is what was found out all the
    same: a `Budget` of `size`, None of `run`."""

    code = 3
    result = None


class Stuck(HoraeError):
    """Exit code 4: no progress. `result` is the run up to there."""

    code = 4
    result = None


BY_CODE = {kind.code: kind for kind in (HoraeError, BadInput, DoesNotFit, Stuck)}
