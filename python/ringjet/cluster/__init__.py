"""Computing on the nodes of a Ray cluster: `rj.cluster`.

This package is importable without Ray. `rj.cluster` is its class `Cluster`; import other names
with `from ringjet.cluster import ...`.
"""

from ._cluster import Cluster, cluster
from ._node import NodeInfo
from ._plan import ClusterPlan, Network, plan_function, plan_training
from ._training import ClusterTraining

__all__ = [
    "Cluster",
    "ClusterPlan",
    "ClusterTraining",
    "Network",
    "NodeInfo",
    "cluster",
    "plan_function",
    "plan_training",
]
