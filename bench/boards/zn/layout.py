"""Instances of the suite, their files, and the plaintext moduli. Client and server share it."""

import argparse
import sys
from dataclasses import dataclass
from math import prod
from pathlib import Path

import ringjet as rj

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

#: Numbers of products; `toy` is an instance of earlier versions of the harness.
INSTANCES = {"single": 1, "small": 1_000, "medium": 100_000, "large": 10_000_000, "toy": 10}

#: A product of two signed numbers of 64 bits is at most 2^126 in size. So it is known from its remainders modulo five
#: primes whose product exceeds 2^127; each is 1 modulo 2^14, which BGV in a ring of 2^13 needs.
PRIMES = [44646401, 44892161, 44941313, 45137921, 45432833]
assert prod(PRIMES) > 2**127

LOG_N, Q_BITS, P_BITS = 13, [44, 36], [45]
SLOTS = 2**LOG_N
OPERANDS = ("lhs", "rhs")


def parameters(prime: int) -> rj.Parameters:
    """The parameters for one of the primes: one product, 192 bits of security."""
    return rj.bgv(LOG_N, prime, Q_BITS, P_BITS)


@dataclass(frozen=True)
class Instance:
    """An instance, and its files below the folder in which a stage runs."""

    name: str
    root: Path = Path()

    @property
    def blocks(self) -> int:
        """Number of ciphertexts for each operand and prime."""
        return -(-INSTANCES[self.name] // SLOTS)

    @property
    def data(self) -> Path:
        return self.root / "datasets" / self.name

    @property
    def io(self) -> Path:
        return self.root / "io" / self.name

    @property
    def keys(self) -> Path:
        return self.io / "public_keys"

    @property
    def secrets(self) -> Path:
        return self.io / "private_keys"

    @property
    def upload(self) -> Path:
        return self.io / "ciphertexts_upload"

    @property
    def download(self) -> Path:
        return self.io / "ciphertexts_download"

    @property
    def remainders(self) -> Path:
        """The decrypted remainders: a row for each prime."""
        return self.io / "remainders.bin"

    @property
    def result(self) -> Path:
        return self.io / "cleartext_output" / "out.txt"

    @property
    def report(self) -> Path:
        return self.io / "server_reported_steps.json"


def ciphertext_file(folder: Path, name: str, prime: int, block: int) -> Path:
    """A ciphertext: the remainders modulo a prime of a block of numbers."""
    return folder / f"{name}_{prime}_{block:05}.bin"


def key_file(folder: Path, prime: int) -> Path:
    return folder / f"key_{prime}.bin"


def instance() -> Instance:
    """The instance that the arguments of a stage name: NAME [COUNT], as the suite's harness calls it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=INSTANCES)
    parser.add_argument("count", type=int, nargs="?", help="the number of products, which the name implies")
    args = parser.parse_args()
    if args.count not in (None, INSTANCES[args.name]):
        parser.error(f"{args.name} has {INSTANCES[args.name]} products")
    return Instance(args.name)
