"""What is used of Ray: connecting, nodes, and the import with its error."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ..errors import RayMissingError


def ray() -> Any:
    """The module `ray`. It is imported at the first use of a cluster, since ringjet works without
    it."""
    try:
        # without Ray, or with one without types, a checker of types refuses these lines; the last ones
        # are for what they load
        import ray as module  # type: ignore[import-not-found, import-untyped, unused-ignore]
        import ray.cloudpickle  # type: ignore[import-not-found, import-untyped, unused-ignore]
        import ray.exceptions  # type: ignore[import-not-found, import-untyped, unused-ignore]
        import ray.util.scheduling_strategies  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: F401
    except ImportError as error:
        raise RayMissingError(f"clusters need Ray: pip install ringjet[ray] ({error})") from error
    return module


def connect(address: str | None) -> bool:
    """Connects this process to Ray, and returns whether it was not connected before.

    - address: "auto" for the cluster that this machine is part of, "host:port", or "local" for a
      new one on this machine alone. None: the cluster that the process is connected to, or that
      the variable RAY_ADDRESS names, or else a new local one.
    """
    module = ray()
    if module.is_initialized():
        return False
    if address is None:
        address = os.environ.get("RAY_ADDRESS") or "local"
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address == "local":
        # Ray reports usage over the Internet unless it is told not to
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        quiet["include_dashboard"] = False
    module.init(address=address, **quiet)
    return True


@dataclass(frozen=True)
class Place:
    """A node of the Ray cluster that has processors."""

    id: str
    #: The address that Ray shows.
    name: str
    cores: int


def places() -> list[Place]:
    """The living nodes with processors, in the order of their ids."""
    found = []
    for node in ray().nodes():
        cores = int(node["Resources"].get("CPU", 0))
        if node["Alive"] and cores >= 1:
            found.append(Place(node["NodeID"], node["NodeManagerAddress"], cores))
    return sorted(found, key=lambda place: place.id)


def start(kind: type[Any], place: Place) -> Any:
    """An actor of class `kind` on the node, which takes all of its cores."""
    module = ray()
    strategy = module.util.scheduling_strategies.NodeAffinitySchedulingStrategy(place.id, soft=False)
    options = {"num_cpus": place.cores, "max_restarts": 0, "scheduling_strategy": strategy}
    return module.remote(kind).options(**options).remote()
