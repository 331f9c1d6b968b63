"""What ringjet refuses, and why. Every class says in its attributes which values were at fault.

Each corresponds to one variant of the Rust library's errors, except `DetachedError` and `SchemeError`, which only Python has,
and `DeviceError`, which stands for all that can be wrong with a device's profile.
"""

from __future__ import annotations


class RingjetError(Exception):
    """The base of all of ringjet's exceptions. A refused call changes nothing."""


class InsecureParametersError(RingjetError, ValueError):
    """Parameters weaker than wanted, without `allow_insecure`."""

    log_n: int
    log_qp: float
    allowed: int
    security: int


class InsecureModulusError(InsecureParametersError):
    """Parameters of HEAAN weaker than wanted, without `allow_insecure`."""

    log_q: int


class SparseSecretError(RingjetError, ValueError):
    """Parameters with secrets of few non-zero coefficients, which no published table judges, without `allow_insecure`."""

    weight: int


class EphemeralSecretError(SparseSecretError):
    """Parameters that bootstrap under an ephemeral secret worth less than they promise, without `allow_insecure`."""

    log_n: int
    #: Bits of the modulus above it.
    log_modulus: float
    #: Estimated bits of security; None where there is no estimate.
    estimate: float | None
    security: int


class ParametersError(RingjetError, ValueError):
    """A parameter set that cannot work."""


class UnknownPresetError(RingjetError, ValueError):
    """No preset has this name."""

    name: str
    known: str


class ParameterMismatchError(RingjetError, ValueError):
    """Objects of two parameter sets meet."""

    what: str
    expected: str
    found: str


class KeyMismatchError(RingjetError, ValueError):
    """Ciphertexts or keys of two clients meet."""

    what: str
    #: Key identities, as `key_id` shows them.
    expected: str
    found: str


class SlotCountError(RingjetError, ValueError):
    """A vector of the wrong length."""

    found: int
    slots: int
    max: int


class SlotMismatchError(RingjetError, ValueError):
    """Operands of different lengths."""

    lhs: int
    rhs: int


class NotFiniteError(RingjetError, ValueError):
    """A value is infinite or not a number."""

    index: int
    value: float


class MagnitudeError(RingjetError, ValueError):
    """Values to encrypt that are larger than the magnitude that is stated of them."""

    found: float
    stated: float


class ValueOverflowError(RingjetError, OverflowError):
    """Values that could wrap around the modulus of their level."""

    op: str
    magnitude: float
    scale_log2: float
    needed: float
    available: float


class OutsideIntervalError(RingjetError, ValueError):
    """Values that can leave the interval on which a polynomial approximates something."""

    low: float
    high: float
    imaginary: float
    a: float
    b: float


class BootstrapMagnitudeError(RingjetError, ValueError):
    """Values that are too large to be bootstrapped."""

    magnitude: float
    limit: float


class GarbageError(RingjetError, ValueError):
    """What was decrypted is no message: values overflowed, or the ciphertext is damaged or of another key."""

    found_log2: float
    limit_log2: float


class NotSharableError(RingjetError, ValueError):
    """A result whose decryption cannot be shared, and why."""

    reason: str


class AnswersExhaustedError(RingjetError):
    """As many decryptions were shared under a key as may be."""

    given: int
    limit: int


class TooLargeError(RingjetError, OverflowError):
    """Values that do not fit below the modulus at a scale and level."""

    magnitude: float
    scale_log2: float
    needed: float
    available: float
    level: int


class TooLargeForModulusError(RingjetError, OverflowError):
    """Values that do not fit into HEAAN's modulus at a scale."""

    magnitude: float
    log_scale: int
    needed: int
    log_q: int


class ScaleMismatchError(RingjetError, ValueError):
    """Two scales differ."""

    op: str
    lhs_log2: float
    rhs_log2: float


class NotNestedError(RingjetError, ValueError):
    """A level has primes that the one above it lacks, so that they cannot just be dropped."""

    upper: int
    lower: int


class LevelMismatchError(RingjetError, ValueError):
    """Two levels differ where they must not."""

    op: str
    lhs: int
    rhs: int


class LevelExhaustedError(RingjetError, ArithmeticError):
    """Fewer levels are left than the operation needs."""

    op: str
    needed: int
    left: int


class ModulusMismatchError(RingjetError, ValueError):
    """Two of HEAAN's moduli differ where they must not."""

    op: str
    lhs: int
    rhs: int


class ModulusExhaustedError(RingjetError, ArithmeticError):
    """Fewer bits of HEAAN's modulus are left than the operation needs."""

    op: str
    needed: int
    left: int


class NoSuchLevelError(RingjetError, ValueError):
    """A level above the highest one."""

    level: int
    top: int


class MissingKeyError(RingjetError, LookupError):
    """The server lacks a key that the operation needs."""


class MissingRotationKeyError(MissingKeyError):
    """No key for a rotation."""

    rotation: int
    #: All that are missing; `rotation` is the first of them.
    rotations: list[int]


class MissingConjugationKeyError(MissingKeyError):
    """No key for conjugation."""


class MissingRelinearizationKeyError(MissingKeyError):
    """No key for multiplication."""


class MissingBootstrappingKeysError(MissingKeyError):
    """No keys for bootstrapping, or only for ciphertexts of other numbers of slots."""

    #: Where there are keys for others: the slots of the ciphertext, and the numbers of slots there are keys for.
    slots: int
    available: list[int]


class KeyLevelError(MissingKeyError):
    """A key that serves lower levels only."""

    level: int
    key_level: int


class NoBootstrappingError(RingjetError, ValueError):
    """Parameters that cannot bootstrap."""

    params: str
    #: Which ones can.
    instead: str


class DegreeError(RingjetError, ValueError):
    """A ciphertext of a degree that the operation does not take."""

    op: str
    expected: int
    found: int


class ArgumentError(RingjetError, ValueError):
    """An argument out of its range."""

    name: str
    value: str
    expected: str


class MalformedError(RingjetError, ValueError):
    """Bytes that are no valid object."""

    what: str
    reason: str
    offset: int


class OldVersionError(RingjetError, ValueError):
    """Bytes of a format that a development version wrote before the first release: make the object again."""

    what: str
    found: int
    supported: int


class NewerVersionError(RingjetError, ValueError):
    """Bytes of a newer format than this library reads."""

    what: str
    found: int
    supported: int


class TooManyBytesError(RingjetError, ValueError):
    """More bytes than the caller allows."""

    what: str
    bytes: int
    limit: int


class StreamError(RingjetError, OSError):
    """A file could not be read or written to its end."""

    what: str
    reason: str


class InterruptedWorkError(RingjetError, RuntimeError):
    """The work was stopped by its caller."""


class BackendError(RingjetError, RuntimeError):
    """The machine refused or failed."""


class OutOfMemoryError(BackendError, MemoryError):
    """The machine has no room."""

    backend: str
    bytes: int
    free: int | None


class NoValuesError(BackendError):
    """There are no values to read: a model server counts operations and holds none."""

    op: str
    backend: str


class MathError(RingjetError, ValueError):
    """Constants that do not exist, such as enough primes of a size."""


class RandomnessError(RingjetError, RuntimeError):
    """The operating system gives no random bytes."""


class DetachedError(RingjetError, RuntimeError):
    """A ciphertext with no server to compute on it: use `server.load(ciphertext)`."""


class ComparisonError(RingjetError, TypeError):
    """Encrypted values are not compared: nobody but the client can look inside. `is` tells whether two names mean one object."""


class SchemeError(RingjetError, NotImplementedError):
    """Something that one scheme has and the other lacks; the message says what there is instead."""

    scheme: str
    op: str


class DeviceError(RingjetError, ValueError):
    """No device of this name, or a profile that is refused."""

    device: str
