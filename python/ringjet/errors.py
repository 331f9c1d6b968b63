"""The exceptions of ringjet. The attributes of each class hold the values that caused the error.

Each class corresponds to one variant of the Rust library's errors. The exceptions are
`DetachedError`, `SchemeError`, `InputNamesError`, `UnsupportedObjectError` and those of clusters, which only Python
has, and `DeviceError`, which covers all errors in a device's profile. `ringjet` has every public name of this module,
so a class is listed nowhere else.
"""

import typing as _typing

#: What users of a scheme do instead of an operation that it lacks. "*": in every scheme.
_INSTEAD = {
    "*": {
        "noise budget": "precision_bits says how exact its values are",
        "swap_rows": "its slots are in one row",
        "t_bits": "its values are real numbers; presets of BGV and BFV compute with integers",
        "exact integers": "give real numbers",
        "real or complex numbers": "its values are integers modulo t; round them first",
        "approximations": "its values are integers; x.polynomial takes whole coefficients",
        "explicit operations": "ringjet.explicit computes with ciphertexts of CKKS",
    },
    "CKKS": {
        "log_q": "level says how many rescalings are left, and levels of the parameters how many bits each modulus has",
        "log_p": "scale_bits is the binary logarithm of the scale",
        "log_scale": "scale is the binary logarithm of the scale",
        "rescale": "operators rescale by themselves, and to_level(level) goes to a lower level; ringjet.explicit.rescale is a step of its own",
        "mod_down_to": "to_level(level) goes to a lower level",
    },
    "HEAAN": {
        "explicit operations": "x.rescale and x.mod_down_to choose its moduli",
        "level": "log_q says how many bits the modulus has",
        "levels": "log_q says how many bits the modulus has",
        "level of a weighted sum": "the sum is rescaled before it is multiplied",
        "primes": "its modulus is 2**log_q",
        "polynomial": "write it with `*`, `+` and `**`",
        "matmul": "sum up diagonals times x.rotate(k)",
        "to_level": "mod_down_to(log_q) takes a smaller modulus",
        "server without keys for bootstrapping": "its keys for rotations are what bootstraps",
    },
    "BGV": {
        "log_q": "level says which modulus a ciphertext has, and noise_budget how much may be computed",
        "log_scale": "integers have no scale",
        "log_p": "integers have no scale",
        "conjugate": "its values are integers; swap_rows exchanges the two rows of slots",
        "times_i": "its values are integers",
        "magnitude": "values are integers modulo t, and wrap around",
        "range": "values are integers modulo t, and wrap around",
        "stated error": "values are integers modulo t, and wrap around",
        "with_slots": "every ciphertext has all slots",
        "rescale": "operators switch the modulus by themselves, and to_level(level) does it",
        "mod_down_to": "operators switch the modulus by themselves, and to_level(level) does it",
    },
}
_INSTEAD["BFV"] = _INSTEAD["BGV"] | {
    "level": "its ciphertexts keep their modulus; noise_budget says how much may be computed"
}


class RingjetError(Exception):
    """The base class of ringjet's exceptions. A refused call changes nothing."""

    #: Whether the attributes or the text name values in the clear. A service does not tell them to
    #: its clients: where a program raises the error, they are values of the service's owner.
    holds_values: _typing.ClassVar[bool] = False

    #: How to go on, in calls of ringjet. It ends the library's message; attributes are in braces.
    calls: _typing.ClassVar[str] = ""


class InsecureParametersError(RingjetError, ValueError):
    """Parameters with less security than required, without `allow_insecure`. `log_qp` is log2 of
    all primes' product, `allowed` the largest accepted value of it at ring degree `2**log_n`, and
    `security` the required number of bits."""

    log_n: int
    log_qp: float
    allowed: int
    security: int


class InsecureModulusError(InsecureParametersError):
    """HEAAN parameters with less security than required, without `allow_insecure`. `log_q` is the
    number of bits of the modulus."""

    log_q: int


class SparseSecretError(RingjetError, ValueError):
    """Parameters with sparse secrets, which no published security table covers, without
    `allow_insecure`. `weight` is the number of non-zero coefficients of a secret."""

    weight: int


class EphemeralSecretError(SparseSecretError):
    """Bootstrapping parameters whose ephemeral secret gives less than `security` bits, without
    `allow_insecure`."""

    log_n: int
    #: log2 of the modulus under which the ephemeral secret is used.
    log_modulus: float
    #: The estimated security of the ephemeral secret in bits; None if there is no estimate.
    estimate: float | None
    security: int


class ParametersError(RingjetError, ValueError):
    """A parameter set that cannot be used."""


class UnknownPresetError(RingjetError, ValueError):
    """No preset has this name."""

    name: str
    #: The names that could have been meant, and all names.
    similar: list[str]
    known: list[str]


class ParameterMismatchError(RingjetError, ValueError):
    """Two objects have different parameter sets. `expected` and `found` are their fingerprints."""

    what: str
    expected: str
    found: str


class KeyMismatchError(RingjetError, ValueError):
    """A ciphertext or key belongs to another client's secret key."""

    what: str
    #: Key identities, as `key_id` shows them.
    expected: str
    found: str


class InputNamesError(RingjetError, TypeError):
    """A call of a service's program has other inputs than the program. `expected` are the names of the
    program's inputs, `found` those of the call; `[2]` is a third value without a name."""

    expected: list[str]
    found: list[str]


class SlotCountError(RingjetError, ValueError):
    """A vector has the wrong length `found`. `slots` is the number of slots, `max` the largest
    possible one."""

    found: int
    slots: int
    max: int


class SlotMismatchError(RingjetError, ValueError):
    """The operands have different numbers of slots, or a ciphertext has `lhs` slots and an array
    `rhs` numbers."""

    lhs: int
    rhs: int


class CountMismatchError(RingjetError, ValueError):
    """The operands hold different numbers of values, `lhs` and `rhs`, both fewer than slots."""

    calls = "x.with_count(n) states how many"
    lhs: int
    rhs: int


class WindowError(RingjetError, ValueError):
    """A sum of `count` slots at a distance of `stride` that would meet a slot twice: of a row of
    `slots` slots only `distinct` are at this distance."""

    calls = "x.sum() is the sum of all values, in every slot"
    stride: int
    count: int
    slots: int
    distinct: int


class NotFiniteError(RingjetError, ValueError):
    """The value at `index` is infinite or not a number."""

    holds_values = True
    index: int
    value: float


class MagnitudeError(RingjetError, ValueError):
    """Values to encrypt exceed the stated magnitude. `found` is the largest absolute value."""

    calls = "magnitude=..."
    holds_values = True
    found: float
    stated: float


class OutsideStatedError(RingjetError, ValueError):
    """A value to encrypt, or the value of the slots after them, is not between the stated bounds `low`
    and `high`. `found` is the lowest or the highest value."""

    calls = "magnitude=(low, high), fill=..."
    holds_values = True
    found: float
    low: float
    high: float


class ValueOverflowError(RingjetError, OverflowError):
    """The result of `op` could wrap around the modulus. Values up to `magnitude` at the scale
    `2**scale_log2` need `needed` bits; the modulus has `available`."""

    calls = "magnitude=... of encrypt, or x.with_magnitude and x.with_range"
    op: str
    magnitude: float
    scale_log2: float
    needed: float
    available: float


class OutsideIntervalError(RingjetError, ValueError):
    """Values may leave the interval from `a` to `b` on which a polynomial approximates a function.
    `low` and `high` bound the real parts, `imaginary` the imaginary parts."""

    calls = "x.with_range or x.with_magnitude"
    low: float
    high: float
    imaginary: float
    a: float
    b: float


class BootstrapMagnitudeError(RingjetError, ValueError):
    """Values up to `magnitude` are too large for bootstrapping, which takes values up to
    `limit`."""

    calls = "x.with_magnitude"
    magnitude: float
    limit: float


class GarbageError(RingjetError, ValueError):
    """The decrypted values are not a message: values overflowed, or the ciphertext is damaged or
    belongs to another key."""

    calls = "decrypt(..., check=False) gives them without this check"
    found_log2: float
    limit_log2: float


class GarbageWarning(UserWarning):
    """Decrypted values drown in their errors: the estimated errors are larger than the values can
    be, so no digit is right."""


class NotSharableError(RingjetError, ValueError):
    """The decryption of a result cannot be shared; the message gives the reason."""

    reason: str


class OverwriteError(RingjetError, FileExistsError):
    """A file is there that saving would destroy: another client's secret key, or something that is
    no secret key. `key_id` is the identity of that key, None if there is none."""

    path: str
    key_id: str | None


class AnswersExhaustedError(RingjetError):
    """All decryptions that may be shared under one key were shared."""

    calls = "answers=..."
    given: int
    limit: int


class SeveralPartiesError(RingjetError, ValueError):
    """The parameters are for a secret of several pieces, which no single client makes:
    `ringjet.parties.Party` does, with others."""

    calls = "ringjet.parties.Party(spec, name, path=...)"
    pieces: int


class TooManyPiecesError(RingjetError, ValueError):
    """More pieces of a secret than are supported."""

    pieces: int
    most: int


class NoCollectiveBootstrapError(RingjetError, ValueError):
    """Parameters that bootstrap, or keys for bootstrapping, for a secret of several pieces."""

    calls = "session.refresh_share(ciphertext, plan=plan)"
    pieces: int


class PartyMissingError(RingjetError):
    """Something is missing that parties have to send: of each of the pieces, one of its holders.
    `what` is missing from the `parties`, for these `pieces` of the secret."""

    what: str
    pieces: list[int]
    parties: list[str]


class SharesDisagreeError(RingjetError, ValueError):
    """Holders of one piece of the secret sent different bytes for it, which depend on the piece alone:
    one of the `parties` is wrong, or cheats."""

    piece: int
    parties: list[str]


class CommitmentMismatchError(RingjetError, ValueError):
    """The share of a party is not the one that was committed to before all shares were opened."""

    party: str
    piece: int


class TranscriptMismatchError(RingjetError, ValueError):
    """A message follows from other agreements, messages or ciphertexts than those that are here."""

    what: str
    party: str
    expected: str
    found: str


class WrongRoundError(RingjetError, ValueError):
    """A message of a later round than the one that this party is in."""

    party: str
    expected: str
    found: str


class WrongSessionError(RingjetError, ValueError):
    """A message of another session. `expected` and `found` are the identities of the sessions."""

    what: str
    expected: str
    found: str


class AlreadyAnsweredError(RingjetError, ValueError):
    """A ciphertext was answered before with noise of another width, or in another way. `width` and
    `asked` are binary logarithms of the widths."""

    first: str
    width: int
    now: str
    asked: int


class ActiveSetChangedError(RingjetError, ValueError):
    """A ciphertext was answered before together with other parties. `first` and `asked` are their names,
    of the first answer and of this one."""

    first: list[str]
    asked: list[str]


class ResultMismatchError(RingjetError, ValueError):
    """A ciphertext is not what the stated computation gives from the stated inputs: do not answer it.
    `expected` and `found` are SHA-256 of their bytes."""

    expected: str
    found: str


class TooLargeError(RingjetError, OverflowError):
    """Values up to `magnitude` at the scale `2**scale_log2` do not fit the modulus of the level."""

    holds_values = True
    magnitude: float
    scale_log2: float
    needed: float
    available: float
    level: int


class TooLargeForModulusError(RingjetError, OverflowError):
    """Values do not fit HEAAN's modulus at the scale."""

    holds_values = True
    magnitude: float
    log_scale: int
    needed: int
    log_q: int


class ScaleMismatchError(RingjetError, ValueError):
    """Two scales differ."""

    op: str
    lhs_log2: float
    rhs_log2: float


class NoiseBudgetError(RingjetError, ArithmeticError):
    """The noise of the result of `op` would be too large to decrypt it. It needs a modulus of `needed`
    bits; there are `available`."""

    op: str
    needed: float
    available: float


class NoiseBudgetSpentError(RingjetError, ArithmeticError):
    """A ciphertext of BGV or BFV has a noise budget of `budget` bits, and decryption is certain only
    above `least` bits."""

    budget: float
    least: float


class FactorMismatchError(RingjetError, ValueError):
    """The correction factors of two ciphertexts of BGV differ, but the operation needs equal ones."""

    op: str
    lhs: int
    rhs: int


class NotResidueError(RingjetError, ValueError):
    """The value at `index` is not an integer from `low` to `high`, the values modulo `modulus`."""

    holds_values = True
    index: int
    value: int | float
    low: int
    high: int
    modulus: int


class IntegerOverflowError(RingjetError, OverflowError):
    """The integer `value` of slot `index`, which is exact modulo the plaintext modulus `modulus`, does
    not fit 64 bits with sign."""

    holds_values = True
    index: int
    value: int
    modulus: int


class NotNestedError(RingjetError, ValueError):
    """A level has primes that the level above it lacks, so switching between the levels takes more
    than dropping primes."""

    upper: int
    lower: int


class LevelMismatchError(RingjetError, ValueError):
    """Two levels differ, but the operation needs equal ones."""

    calls = "x.to_level"
    op: str
    lhs: int
    rhs: int


class LevelExhaustedError(RingjetError, ArithmeticError):
    """Fewer levels are left than the operation needs."""

    op: str
    needed: int
    left: int


class ModulusMismatchError(RingjetError, ValueError):
    """Two moduli of HEAAN differ, but the operation needs equal ones."""

    calls = "x.mod_down_to"
    op: str
    lhs: int
    rhs: int


class ModulusExhaustedError(RingjetError, ArithmeticError):
    """Fewer bits of HEAAN's modulus are left than the operation needs."""

    op: str
    needed: int
    left: int


class NoSuchLevelError(RingjetError, ValueError):
    """The level is above the highest level of the parameters."""

    level: int
    top: int


class MissingKeyError(RingjetError, LookupError):
    """The server lacks a key that the operation needs."""


class MissingRotationKeyError(MissingKeyError):
    """The server has no key for a rotation."""

    calls = "rotations=[..., {rotations}]"
    rotation: int
    #: All missing rotation steps; `rotation` is the first one.
    rotations: list[int]


class MissingConjugationKeyError(MissingKeyError):
    """The server has no key for conjugation."""

    calls = "conjugation=True"


class MissingRelinearizationKeyError(MissingKeyError):
    """The server has no key for multiplication."""

    calls = "relinearization=True, the default"


class MissingBootstrappingKeysError(MissingKeyError):
    """The server has no bootstrapping keys, or only keys for other numbers of slots."""

    calls = "bootstrapping=[..., {slots}], or x.with_slots"
    #: The number of slots of the ciphertext, and the numbers of slots that the keys are for.
    slots: int
    available: list[int]


class KeyLevelError(MissingKeyError):
    """The key serves levels up to `key_level` only, and the operand is at `level`."""

    level: int
    key_level: int


class NoBootstrappingError(RingjetError, ValueError):
    """The parameters do not support bootstrapping."""

    params: str
    #: Advice: which parameters support bootstrapping.
    instead: str


class IntegerPrecisionError(RingjetError, ValueError):
    """The errors of encrypted integers are too large to tell them apart with certainty."""

    op: str
    #: The bits by which errors are too large; 0 where values are no integers.
    missing: float


class NoSineError(RingjetError, ValueError):
    """The parameters have no sine, of which tables are polynomials."""

    params: str
    #: Advice: which parameters have one.
    instead: str


class DegreeError(RingjetError, ValueError):
    """The operation `op` does not accept a ciphertext of this degree."""

    op: str
    expected: int
    found: int


class ArgumentError(RingjetError, ValueError):
    """The argument `name` is out of range."""

    holds_values = True
    name: str
    value: str
    expected: str


class MalformedError(RingjetError, ValueError):
    """The bytes are not a valid object. `offset` is the position of the error."""

    what: str
    reason: str
    offset: int


class UnsupportedObjectError(RingjetError, ValueError):
    """An object of another library, whole and valid, that ringjet cannot use. `found` is what is in the way, `supported`
    what ringjet reads."""

    what: str
    found: str
    supported: str


class OldVersionError(RingjetError, ValueError):
    """The bytes have a format of a development version before the first release. The object must be
    made again."""

    what: str
    found: int
    supported: int


class NewerVersionError(RingjetError, ValueError):
    """The bytes have a newer format than this library reads."""

    what: str
    found: int
    supported: int


class TooManyBytesError(RingjetError, ValueError):
    """The object is larger than the caller's limit."""

    calls = "max_bytes=..."
    what: str
    bytes: int
    limit: int


class StreamError(RingjetError, OSError):
    """A file could not be read or written completely."""

    what: str
    reason: str


class InterruptedWorkError(RingjetError, RuntimeError):
    """The caller stopped the work."""


class BackendError(RingjetError, RuntimeError):
    """The backend refused an operation or failed."""


class OutOfMemoryError(BackendError, MemoryError):
    """The machine has not enough memory."""

    backend: str
    bytes: int
    free: int | None


class NoValuesError(BackendError):
    """There are no values to read: a model server counts operations only."""

    op: str
    backend: str


class MathError(RingjetError, ValueError):
    """Mathematical constants that do not exist, such as enough primes of a given size."""


class RandomnessError(RingjetError, RuntimeError):
    """The operating system gives no random bytes."""


class DetachedError(RingjetError, RuntimeError):
    """The ciphertext has no server to compute on. `server.load(ciphertext)` attaches it to one."""


class ComparisonError(RingjetError, TypeError):
    """Encrypted values cannot be compared, since only the client can read them. `is` tells whether
    two names denote the same object."""


class SchemeError(RingjetError, NotImplementedError):
    """The scheme does not have the operation; the message names the alternative."""

    scheme: str
    op: str


class DeviceError(RingjetError, ValueError):
    """No device has this name, or a device's profile is not valid."""

    device: str


class ClusterError(RingjetError, RuntimeError):
    """A cluster cannot do its work."""


class NodesLostError(ClusterError):
    """No node of the cluster is left."""


class RayMissingError(ClusterError, ImportError):
    """Ray is not installed, which clusters need."""


class SecretError(RingjetError, TypeError):
    """A secret would be sent to the nodes of a cluster."""

    #: What it is.
    what: str


class ItemError(RingjetError):
    """The function of a cluster's `map` raised an exception. The error is an instance of that
    exception's class too, and `__cause__` is the exception."""

    #: The number of the item, from 0.
    index: int
    #: The address of the node.
    node: str
    #: The traceback on the node.
    remote_traceback: str


def _made(name: str, message: str, fields: dict[str, _typing.Any]) -> Exception:
    """The exception called `name` for a refusal of the library. `fields` are its attributes."""
    made: type[RingjetError] = globals()[name]
    shown = {k: ", ".join(map(str, v)) if isinstance(v, list) else v for k, v in fields.items()}
    if made is SchemeError:
        instead = _INSTEAD["*"] | _INSTEAD[fields["scheme"]]
        message += f": {instead.get(fields['op'], 'see the documentation of its parameters')}"
    elif made.calls:
        message += f" ({made.calls.format(**shown)})"
    error = made(message)
    vars(error).update(fields)
    return error
