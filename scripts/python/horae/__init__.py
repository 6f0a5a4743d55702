"""Horae from Python.

    import horae
    budget = horae.size("platforms/themis_tor.toml", {"tor.program.window": 256})
    budget.pipeline.resources                        # a data frame
    horae.most("platforms/themis_tor.toml", "tor.program.qps_per_nic", {"tor.program.window": [128, 512, 2048]})
    run = horae.run("platforms/flow_list.toml", {"switch.latency": "800 ns"})
    run["fct.p50"], run.results, run.flows
    points = horae.explore("platforms/studies/themis_budget.toml", out="out/explore")

    horae.price({"register": [{"name": "count", "entries": 1024, "width": 32}]}).stages

Everything but `price` is what the program says: it runs as a child process, and its JSON becomes data frames. `price` is the
same code in this process. What is refused is an exception with its one line.
"""
from .budget import Budget, Pipeline, most, size
from .errors import BadInput, DoesNotFit, HoraeError, Stuck
from .pricing import Price, price
from .results import Run, read, run
from .studies import explore

__all__ = ["BadInput", "Budget", "DoesNotFit", "HoraeError", "Pipeline", "Price", "Run", "Stuck", "explore", "most",
           "price", "read", "run", "size"]
