"""Published figures beside which docs/models.md puts ours. Seconds, bytes and shares as their sources state them."""

from dataclasses import dataclass

#: The pages of the board, as of September 2026.
BOARD = "https://github.com/fhe-benchmarking/fhe-benchmarking.github.io/blob/main"
CRYPTOLAB = "https://github.com/CryptoLabInc/ml-inference"

REFERENCE = "AWS i7ie.24xlarge, 96 vCPU"
#: A vCPU is half a core.
CORES = 48


@dataclass(frozen=True)
class Figure:
    """What somebody else published."""

    who: str
    machine: str
    source: str
    #: Seconds of the server's stage with the start of its process, and those of the computation alone.
    stage: float | None
    computation: float | None
    #: Cores, where the machine is a processor with a known number of them.
    cores: int | None = None
    keys: float | None = None
    sent: float | None = None
    accuracy: float | None = None


def reference(page: str, stage: float, computation: float | None, **more: float) -> Figure:
    """A figure of a suite's reference implementation, which uses OpenFHE."""
    return Figure("reference (OpenFHE)", REFERENCE, f"{BOARD}/{page}", stage, computation, cores=CORES, **more)


def cryptolab(stage: float, computation: float, keys: float, sent: float, accuracy: float | None) -> Figure:
    """A mean of three runs of CryptoLab's submission, of its README at commit c2ad7f58."""
    source = f"{CRYPTOLAB}/blob/c2ad7f584f71213f99ff29fdfc24c218c9af94a5/submissions/mnist/README.md"
    return Figure("CryptoLab, 484 pixels", "RTX 5090", source, stage, computation, None, keys, sent, accuracy)


def cryptolab_cpu(stage: float, computation: float, sent: float, accuracy: float) -> Figure:
    """CryptoLab's run without a GPU while it developed, of its DESIGN.md at commit 29050cf2: no official figure."""
    source = f"{CRYPTOLAB}/blob/29050cf268c54e465ada86cbf23836a708546666/submissions/mnist/DESIGN.md"
    machine = "a CPU, cores not stated"
    return Figure("CryptoLab, 484 pixels", machine, source, stage, computation, None, 54e3, sent, accuracy)


MNIST = {
    "single": [
        reference("ml-inference/Single.html", 7.63, 6.48, keys=1e9, sent=5e6),
        cryptolab(0.371, 0.0007, 44.9e6, 420e3, None),
    ],
    "small": [
        reference("ml-inference/Small.html", 10.76 * 60, 10.55 * 60, keys=1e9, sent=500.3e6),
        cryptolab(0.416, 0.0008, 108.5e3, 51.2e6, 0.980),
    ],
    "medium": [
        reference("ml-inference/Medium.html", 1.8091 * 3600, 1.7744 * 3600, keys=1e9, sent=4.9e9, accuracy=0.974),
        cryptolab(0.417, 0.0008, 108.5e3, 51.2e6, 0.989),
        cryptolab_cpu(0.45, 0.267, 44.5e6, 0.989),
    ],
    "large": [
        cryptolab(0.521, 0.0034, 320.5e3, 242.5e6, 0.9796),
        cryptolab_cpu(1.00, 0.700, 133.6e6, 0.9796),
        Figure(
            *("Lattica", "GPU, over a network", f"{BOARD}/ml-inference/Large.html", 6.2229, 1.0503),
            *(None, 7.3e6, 490e6, 0.966),
        ),
    ],
}

RESNET20 = [
    reference("cifar10-inference/Single.html", 32.14 * 60, None, keys=50.4e9, sent=28e6),
    Figure(
        *("arXiv 2508.11575", "a consumer's CPU", "https://arxiv.org/abs/2508.11575", None, 1145),
        *(None, None, None, 0.838),
    ),
    Figure(
        *("LowMemoryFHEResNet20, under 5 min", "Apple M1 Pro", "https://github.com/lorenzorovida/LowMemoryFHEResNet20"),
        *(None, 300),
    ),
    Figure("Cheddar", "RTX 5090", "https://arxiv.org/abs/2407.13055", None, 0.72),
]

FETCH = {
    "count_small": [reference("fetch-by-similarity/Count-Small.html", 50.78, 48.33, keys=2.6e9)],
    "small": [reference("fetch-by-similarity/Fetch-Small.html", 1.223 * 60, 1.1833 * 60, keys=2.4e9)],
    "count_medium": [reference("fetch-by-similarity/Count-Medium.html", 14.11 * 60, 14.07 * 60, keys=2.9e9)],
}
