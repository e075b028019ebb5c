"""One lock for each object of somebody else's that must not be used by two threads at once."""

from __future__ import annotations

import threading
import weakref
from contextlib import AbstractContextManager, nullcontext
from typing import Any

# By identity, since not every object has a hash; a lock goes when its object does.
_LOCKS: dict[int, tuple[weakref.ref[Any], threading.RLock]] = {}
_GUARD = threading.RLock()


def lock_of(shared: Any, needed: bool = True) -> AbstractContextManager[Any]:
    """The lock of ``shared``, the same whoever asks, as long as it lives.

    :param needed: ``False`` gives what locks nothing, for objects that look after themselves.
    """
    if not needed:
        return nullcontext()
    key = id(shared)
    with _GUARD:
        held = _LOCKS.get(key)
        if held is None or held[0]() is not shared:
            held = (weakref.ref(shared, lambda ref: _forget(key, ref)), threading.RLock())
            _LOCKS[key] = held
        return held[1]


def _forget(key: int, ref: weakref.ref[Any]) -> None:
    with _GUARD:
        if key in _LOCKS and _LOCKS[key][0] is ref:
            del _LOCKS[key]
