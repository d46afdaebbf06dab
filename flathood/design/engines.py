# SPDX-License-Identifier: Apache-2.0
"""The engines by name, and the order in which the designer asks them."""

from __future__ import annotations

import numpy as np

from flathood.design.engine import Answer, Budget, Engine, Tell
from flathood.design.exact import ExactSearch
from flathood.design.islands import Genetic
from flathood.design.judged import JudgedSearch
from flathood.design.local import LocalSearch
from flathood.design.objective import evaluate
from flathood.design.planes import constructions
from flathood.design.request import Design, Request

AUTO, EXACT = "auto", "exact"


class Constructions:
    """Every blow-up of a plane that fits."""

    name = "construction"

    def suits(self, request: Request) -> bool:
        """Requests whose pairs must all share a switch, by no cables but the plane's own."""
        return request.mode != "fractional" and request.keep is None

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        """Make them all and give the best, see `engine.Engine`."""
        best: Design | None = None
        best_quality, by = -1.0, self.name
        for name, design in constructions(request, np.random.default_rng(budget.seed)):
            quality = evaluate(request, design).quality
            if quality > best_quality:
                best, best_quality, by = design, quality, name
                tell(design, name)
        return Answer(best, by)


#: Every engine by the name that `--engine` takes.
ENGINES: dict[str, Engine] = {
    engine.name: engine for engine in (Constructions(), ExactSearch(), Genetic(), LocalSearch(), JudgedSearch())
}
#: The order in which the designer asks them when it may choose.
TURNS = ("construction", "exact", "genetic", "judged")
