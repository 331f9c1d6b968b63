"""Who may come in, and how many at a time: names of the service, connections of an address, requests
of a tenant."""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections import Counter

from ._options import Options
from ._problems import Problem, later


class Gate:
    """Counts what is open. Connections are counted in the thread of the event loop, requests in any."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._connections: Counter[str] = Counter()
        self._requests: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._names = {"localhost", socket.gethostname().lower(), options.host.lower()}
        self._names |= {name.lower() for name in options.allow_host}

    def connected(self, address: str) -> bool:
        """Counts a connection; False if its address has as many as it may have."""
        if self._connections[network(address)] >= self._options.address_connections:
            return False
        self._connections[network(address)] += 1
        return True

    def disconnected(self, address: str) -> None:
        """Forgets a connection that was counted."""
        self._less(self._connections, network(address))

    def enter(self, tenant: str) -> None:
        """Counts a request of a tenant, or refuses it."""
        limit = self._options.tenant_requests
        with self._lock:
            if self._requests[tenant] >= limit:
                detail = f"{limit} requests are open, which is the most at a time: wait for some of them"
                raise later("quota", detail, 1, quota="requests", used=limit, limit=limit)
            self._requests[tenant] += 1

    def leave(self, tenant: str) -> None:
        """Forgets a request that was counted."""
        with self._lock:
            self._less(self._requests, tenant)

    def check_host(self, header: str) -> None:
        """Refuses requests for a name that is not the service's. A page of somebody else can make a
        browser send them, by giving its own name the address of the service. Addresses are no
        names."""
        found = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,253}?)\.?(:\d{1,5})?", header)
        name = found[1].lower() if found else ""
        if name in self._names or _is_address(name.strip("[]")) or "*" in self._names:
            return
        shown = name or "without a valid name"
        detail = f"this service is not called {shown}; its owner names it with --allow-host"
        raise Problem("wrong-host", detail)

    @staticmethod
    def _less(counts: Counter[str], name: str) -> None:
        counts[name] -= 1
        if counts[name] <= 0:
            del counts[name]


def network(address: str) -> str:
    """What counts as one address: with IPv6 the network of 64 bits, which one customer has."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
