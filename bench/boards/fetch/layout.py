"""Where records lie: instances, files, and slots of ciphertexts. Client and server share it.

Records 0 to S - 1 are real parts of the first group of ciphertexts (S slots each), records S to 2 S - 1 its
imaginary parts, and so on. README.md, "fetch", explains the circuit.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import ringjet as rj

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

NAMES = ["toy", "small", "medium", "large"]
RECORDS = [1_000, 50_000, 1_000_000, 20_000_000]
DIMENSIONS = [128, 128, 256, 512]

#: Numbers of a record's payload, and their bound.
PAYLOAD, PAYLOAD_BOUND = 7, 4096

#: One level for the similarities, six for the threshold, two for the payloads. 192 bits of security.
LOG_N, Q_BITS, P_BITS = 15, [48] + [36] * 9, [50] * 3
SLOTS = 2 ** (LOG_N - 1)
#: The level of the decisions, and so of the payloads that they are multiplied by.
PAYLOAD_LEVEL = 2

#: Cells of each of the two tables that the server sums payloads into, and the slots between two cells of the second.
CELLS = 1024
STRIDE = SLOTS // CELLS
#: A record's number is stored as two parts, its quotient and remainder by this.
NUMBER_BASE = 4096
#: Ciphertexts that hold the marker, the number and the payload of a record: two numbers in each.
COLUMNS = 5


def parameters() -> rj.Parameters:
    """The parameters of all instances."""
    return rj.params(LOG_N, Q_BITS, P_BITS)


@dataclass(frozen=True)
class Instance:
    """An instance of the suite, and its files below the folder in which a stage runs."""

    size: int
    count_only: bool = False
    root: Path = Path()

    @property
    def records(self) -> int:
        return RECORDS[self.size]

    @property
    def dimension(self) -> int:
        return DIMENSIONS[self.size]

    @property
    def groups(self) -> int:
        """Number of groups of ciphertexts, with 2 * SLOTS records each."""
        return -(-self.records // (2 * SLOTS))

    @property
    def sets(self) -> int:
        """Number of sets of SLOTS records."""
        return -(-self.records // SLOTS)

    @property
    def level(self) -> int:
        """The level of the records and of the query. Counting takes a level less than payloads do."""
        return len(Q_BITS) - 1 - self.count_only

    @property
    def count_unit(self) -> float:
        """What each match adds to the encrypted count, which is at most 64."""
        return 64 / (self.sets * SLOTS)

    @property
    def baby(self) -> int:
        """How many rotations of the query there are; a product with the database is rotated by their number."""
        return 32 if self.dimension > 128 else 16

    @property
    def data(self) -> Path:
        return self.root / "datasets" / NAMES[self.size]

    @property
    def io(self) -> Path:
        return self.root / "io" / NAMES[self.size]

    @property
    def keys(self) -> Path:
        """What the server gets of the keys."""
        return self.io / "keys" / "evaluation.bin"

    @property
    def secret(self) -> Path:
        return self.io / "private_keys" / "secret.bin"

    @property
    def encrypted(self) -> Path:
        return self.io / "encrypted"

    @property
    def query(self) -> Path:
        return self.encrypted / "query.bin"

    @property
    def threshold(self) -> Path:
        """The server's polynomial."""
        return self.io / "server" / "threshold.npy"

    @property
    def answer(self) -> Path:
        return self.io / "ciphertexts_download"

    @property
    def decrypted(self) -> Path:
        return self.io / "raw-result.bin"

    @property
    def result(self) -> Path:
        return self.io / "results.bin"

    @property
    def report(self) -> Path:
        """The server's own times, which the suite's harness reads."""
        return self.io / "server_reported_steps.json"


def row_file(folder: Path, group: int, row: int) -> Path:
    """A ciphertext of a group: product `row` of the similarities."""
    return folder / f"batch{group:04}" / f"row_{row:04}.bin"


def payload_file(folder: Path, part: int, column: int) -> Path:
    """A ciphertext of a set: a column of its payloads."""
    return folder / f"set{part:04}" / f"payload_{column:04}.bin"


def instance() -> Instance:
    """The instance that the arguments of a stage name: SIZE [--seed S] [--count_only], as the suite's harness calls it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=int, choices=range(len(NAMES)))
    parser.add_argument("--seed", type=int, help="ignored: keys and encryptions are random")
    parser.add_argument("--count_only", action="store_true")
    args = parser.parse_args()
    return Instance(args.size, args.count_only)
