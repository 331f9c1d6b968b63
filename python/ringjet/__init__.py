"""Computing on encrypted vectors of numbers (CKKS).

A `Client` holds the secret, encrypts and decrypts. A `Server` gets public keys and ciphertexts, and computes; it cannot
hold a secret. A `Ciphertext` is used like a numpy vector: `+ - * / **`, `@` from the left, `rotate`, `inner_sum`,
`polynomial`. Everything that travels has `to_bytes`, and reading it back takes a size limit.

    client = rj.Client(rj.preset("n15-depth9"))
    server = rj.Server(client.evaluation_keys(rotations=[1]).to_bytes())
    x = server.load(client.encrypt([1.0, 2.0, 3.0]).to_bytes())
    client.decrypt((x * x + x.rotate(1)).to_bytes())

A ciphertext out of a pickle joins the only server of the process that has its parameters, at its first use; where there is
none or more than one, `server.load(ciphertext)` says which one computes.
"""

from ._presets import Preset, PresetTable, presets
from ._ringjet import (
    Ciphertext,
    Client,
    Encryptor,
    EvaluationKeys,
    LinearTransform,
    Parameters,
    PublicKey,
    Server,
    __version__,
    backends,
    inner_sum_rotations,
    params,
    preset,
    set_threads,
    threads,
    weighted_sum,
)
from .errors import (
    ArgumentError,
    BackendError,
    DegreeError,
    DetachedError,
    InsecureParametersError,
    InterruptedWorkError,
    LevelExhaustedError,
    LevelMismatchError,
    MalformedError,
    MathError,
    MissingConjugationKeyError,
    MissingKeyError,
    MissingRelinearizationKeyError,
    MissingRotationKeyError,
    NewerVersionError,
    NoSuchLevelError,
    NotFiniteError,
    OutOfMemoryError,
    ParameterMismatchError,
    ParametersError,
    RandomnessError,
    RingjetError,
    ScaleMismatchError,
    SlotCountError,
    SlotMismatchError,
    TooLargeError,
    TooManyBytesError,
    UnknownPresetError,
)

__all__ = [
    "ArgumentError",
    "BackendError",
    "Ciphertext",
    "Client",
    "DegreeError",
    "DetachedError",
    "Encryptor",
    "EvaluationKeys",
    "InsecureParametersError",
    "InterruptedWorkError",
    "LevelExhaustedError",
    "LevelMismatchError",
    "LinearTransform",
    "MalformedError",
    "MathError",
    "MissingConjugationKeyError",
    "MissingKeyError",
    "MissingRelinearizationKeyError",
    "MissingRotationKeyError",
    "NewerVersionError",
    "NoSuchLevelError",
    "NotFiniteError",
    "OutOfMemoryError",
    "ParameterMismatchError",
    "Parameters",
    "ParametersError",
    "Preset",
    "PresetTable",
    "PublicKey",
    "RandomnessError",
    "RingjetError",
    "ScaleMismatchError",
    "Server",
    "SlotCountError",
    "SlotMismatchError",
    "TooLargeError",
    "TooManyBytesError",
    "UnknownPresetError",
    "__version__",
    "backends",
    "inner_sum_rotations",
    "params",
    "preset",
    "presets",
    "set_threads",
    "threads",
    "weighted_sum",
]
