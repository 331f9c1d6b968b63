"""What processors in memory have done."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PimTraffic:
    """Counts of `Server.pim_traffic`. All of them go up from the moment the backend was opened."""

    #: How often programs were started on the processors.
    launches: int
    #: Cycles of the slowest processor in each launch, all together.
    cycles: int
    #: Bytes from the host to the processors: polynomials, commands, constants.
    to_dpus: int
    #: Bytes from the processors to the host.
    from_dpus: int
    #: Bytes of polynomials that went from one processor to another, through the host. They are in
    #: `to_dpus` and `from_dpus`, too.
    between_dpus: int
    #: Operations that the processors lack. The CPU did them.
    host_operations: int
    #: Bytes that went to the CPU and back for these operations, 8 for each residue.
    host_bytes: int

    def seconds(self, clock_mhz: float = 350.0) -> float:
        """The time of `cycles`. 350 MHz agree best with published times; the vendor states 400."""
        return self.cycles / (clock_mhz * 1e6)
