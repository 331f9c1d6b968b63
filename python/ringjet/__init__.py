"""Computing on encrypted vectors of numbers (CKKS).

A `Client` holds the secret, encrypts and decrypts. A `Server` gets public keys and ciphertexts, and computes; it cannot
hold a secret. A `Ciphertext` is used like a numpy vector: `+ - * / **`, `@` from the left, `rotate`, `inner_sum`,
`polynomial`. Everything that travels has `to_bytes`, and reading it back takes a size limit.

    client = rj.Client(rj.preset("n15-depth9"))
    server = rj.Server(client.evaluation_keys(rotations=[1]).to_bytes())
    x = server.load(client.encrypt([1.0, 2.0, 3.0]).to_bytes())
    client.decrypt((x * x + x.rotate(1)).to_bytes())

With parameters and keys that bootstrap, computations do not end where the levels do; `plan` says beforehand where that
happens. `Server(backend="model", params=...)` counts what a program does instead of computing, and says how long that takes
on a device. `LogisticRegression` trains on encrypted data, in scikit-learn's manner.

A ciphertext out of a pickle joins the only server of the process that has its parameters, at its first use; where there is
none or more than one, `server.load(ciphertext)` says which one computes.
"""

from ._estimate import Estimate
from ._plan import Bootstrap, DryRun, Symbol, plan, sum_of_products, weighted_sum
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
    bootstrap_chain,
    devices,
    inner_sum_rotations,
    params,
    preset,
    set_threads,
    threads,
)
from .errors import (
    ArgumentError,
    BackendError,
    DegreeError,
    DetachedError,
    DeviceError,
    InsecureParametersError,
    InterruptedWorkError,
    KeyLevelError,
    LevelExhaustedError,
    LevelMismatchError,
    MalformedError,
    MathError,
    MissingBootstrappingKeysError,
    MissingConjugationKeyError,
    MissingKeyError,
    MissingRelinearizationKeyError,
    MissingRotationKeyError,
    NewerVersionError,
    NoBootstrappingError,
    NoSuchLevelError,
    NotFiniteError,
    NotNestedError,
    NoValuesError,
    OutOfMemoryError,
    ParameterMismatchError,
    ParametersError,
    RandomnessError,
    RingjetError,
    ScaleMismatchError,
    SlotCountError,
    SlotMismatchError,
    StreamError,
    TooLargeError,
    TooManyBytesError,
    UnknownPresetError,
)
from .ml.estimator import LogisticRegression

__all__ = [
    "ArgumentError",
    "BackendError",
    "Bootstrap",
    "Ciphertext",
    "Client",
    "DegreeError",
    "DetachedError",
    "DeviceError",
    "DryRun",
    "Encryptor",
    "Estimate",
    "EvaluationKeys",
    "InsecureParametersError",
    "InterruptedWorkError",
    "KeyLevelError",
    "LevelExhaustedError",
    "LevelMismatchError",
    "LinearTransform",
    "LogisticRegression",
    "MalformedError",
    "MathError",
    "MissingBootstrappingKeysError",
    "MissingConjugationKeyError",
    "MissingKeyError",
    "MissingRelinearizationKeyError",
    "MissingRotationKeyError",
    "NewerVersionError",
    "NoBootstrappingError",
    "NoSuchLevelError",
    "NotFiniteError",
    "NotNestedError",
    "NoValuesError",
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
    "StreamError",
    "Symbol",
    "TooLargeError",
    "TooManyBytesError",
    "UnknownPresetError",
    "__version__",
    "backends",
    "bootstrap_chain",
    "devices",
    "inner_sum_rotations",
    "params",
    "plan",
    "preset",
    "presets",
    "set_threads",
    "sum_of_products",
    "threads",
    "weighted_sum",
]
