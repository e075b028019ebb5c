"""What the commands print: tables to read, JSON for scripts, and messages in place of traces."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from seams_core.errors import SeamsError

#: Exit codes: done; the data or the store does not allow it; wrong use; out of step; Ctrl-C.
DONE, FAILED, USAGE, OUT_OF_STEP, INTERRUPTED = 0, 1, 2, 3, 130

INTERRUPTION = "interrupted; what was written so far is valid: run the same command to go on"


class Quit(Exception):
    """Ends a command with a code, after its message has been printed."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def messages(as_json: bool, debug: bool) -> Iterator[None]:
    """Turn what goes wrong into one message on standard error and an exit code.

    :param as_json: Print the message as a JSON object.
    :param debug: Let errors through, with their traces.
    """
    try:
        yield
    except Quit:
        raise
    except KeyboardInterrupt:
        raise _said(INTERRUPTION, INTERRUPTED, as_json) from None
    except Exception as error:
        if debug:
            raise
        if isinstance(error, SeamsError):
            raise _said(str(error), FAILED, as_json) from error
        if isinstance(error, ValueError):
            raise _said(str(error), USAGE, as_json) from error
        text = " ".join(str(error).split()) or "no message"
        text = f"the store failed ({type(error).__name__}): {text}. --debug shows where"
        raise _said(text, FAILED, as_json) from error


def _said(text: str, code: int, as_json: bool) -> Quit:
    print(
        json.dumps({"error": text, "code": code}) if as_json else f"error: {text}", file=sys.stderr
    )
    return Quit(code)


def show(value: Mapping[str, Any], as_json: bool, readable: Callable[[], Any]) -> None:
    """Print ``value`` as JSON, or what ``readable`` makes for a person.

    :param readable: Gives a text or anything that rich can print.
    """
    if as_json:
        print(json.dumps(value, ensure_ascii=False, indent=2, default=str))
        return
    from rich.console import Console

    # Markup and highlighting off: texts of documents are shown as they are.
    Console(markup=False, highlight=False, emoji=False, soft_wrap=True).print(readable())


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """A table for a person; its cells are plain text, whatever they hold."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    for n, name in enumerate(columns):
        number = bool(rows) and isinstance(rows[0][n], int | float)
        made.add_column(
            name,
            justify="right" if number else "left",
            overflow="fold",
            no_wrap=name == "chunk",
        )
    for row in rows:
        made.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return made
