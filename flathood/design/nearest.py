# SPDX-License-Identifier: Apache-2.0
"""The nearest requests that can be wired, for the operator of one that can't to choose from.

Each differs in one number from what was asked, and a construction wires it: nothing is named that is only not
forbidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from flathood.design.planes import constructions
from flathood.design.request import Request

_TRIES = 12  # numbers that are tried beyond the first that no bound forbids

#: Whether no bound forbids a request.
Allowed = Callable[[Request], bool]


def nearest(request: Request, allowed: Allowed) -> Iterator[str]:
    """Tell what would do: more NICs, wider switches, more switches, fewer nodes; what is not found is left out.

    Nothing where cables must be kept: constructions make all cables anew.
    """
    if request.keep is not None:
        return
    width = int(request.ports.max())
    more_nics = (replace(request, nics=request.nics + more) for more in range(1, 9))
    found = _first(more_nics, allowed)
    if found is not None:
        more = int(found.nics[0] - request.nics[0])
        yield f"{more} more NIC{'' if more == 1 else 's'} in every node"
    wider = (
        replace(request, ports=np.maximum(request.ports, ports))
        for ports in range(int(request.ports.min()) + 1, request.nodes + 1)
    )
    found = _first(wider, allowed)
    if found is not None:
        yield f"switches of {int(found.ports.min())} ports"
    added = (
        replace(request, ports=np.append(request.ports, np.full(more, width)))
        for more in range(1, 2 * request.switches + 8)
    )
    found = _first(added, allowed)
    if found is not None:
        more = found.switches - request.switches
        yield f"{more} more switch{'es' if more > 1 else ''} of {width} port{'' if width == 1 else 's'}"
    found = _first((_of(request, nodes) for nodes in range(request.nodes - 1, 1, -1)), allowed)
    if found is not None:
        yield f"{found.nodes} nodes"


def _of(request: Request, nodes: int) -> Request:
    """The nodes with the most NICs, as many."""
    kept = np.sort(np.argsort(-request.nics, kind="stable")[:nodes])
    return replace(request, nics=request.nics[kept], weights=request.weights[np.ix_(kept, kept)])


def _first(requests: Iterable[Request], allowed: Allowed) -> Request | None:
    """The first that a construction wires."""
    for request in islice(filter(allowed, requests), _TRIES):
        if next(constructions(request, np.random.default_rng(0)), None) is not None:
            return request
    return None
