# SPDX-License-Identifier: Apache-2.0
"""What a plan's network delivers, on paper: a fluid model of the traffic over the paths that the plan gives each pair.

What belongs here: links and the paths over them, fair shares of them, how long transfers take, and the benchmarks that
`playbooks/benchmark.yml` runs, predicted.
"""

from flathood.predict.benchmarks import BENCHMARKS, Case, Model, Prediction, predict

__all__ = ["BENCHMARKS", "Case", "Model", "Prediction", "predict"]
