"""The native half of ringjet."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Literal, SupportsFloat, TypeAlias, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from ._pim import PimTraffic
from .program import Estimate, Plan, Profile
from .vectors._methods import Methods

__all__ = [
    "Approximation",
    "Ciphertext",
    "Client",
    "Counts",
    "Encryptor",
    "EvaluationKeys",
    "Explicit",
    "LinearTransform",
    "Parameters",
    "PartyKeys",
    "PartySession",
    "PartySpec",
    "PublicKey",
    "RecordedProgram",
    "Server",
    "__version__",
    "_decompress_zstd",
    "_mul_rows",
    "_transpose_rows",
    "_weighted_sums",
    "approximate",
    "backends",
    "bgv",
    "bootstrap_chain",
    "command",
    "devices",
    "drowned",
    "heaan",
    "inner_sum_rotations",
    "params",
    "precision_text",
    "preset",
    "preset_names",
    "replace_file",
    "restore_ciphertext",
    "set_threads",
    "sign_stages",
    "sines",
    "sum_of_products",
    "table_error",
    "threads",
    "weighted_sum",
]

__version__: str

_Numbers: TypeAlias = npt.ArrayLike
_Operand: TypeAlias = Ciphertext | npt.ArrayLike | SupportsFloat
_Bytes: TypeAlias = bytes | bytearray
_Path: TypeAlias = str | PathLike[str]
_KeyMemory: TypeAlias = Literal["expanded", "compressed"]
_Keep: TypeAlias = Literal["encoded", "coefficients"]
_Progress: TypeAlias = bool | Callable[[int, int], object] | None
#: Real numbers; of parameters of BGV and BFV they are integers, in arrays of type int64.
_Real: TypeAlias = npt.NDArray[np.float64]
_Complex: TypeAlias = npt.NDArray[np.complex128]
#: A bound on real and imaginary parts, or (low, high) for real values.
_Bounds: TypeAlias = float | tuple[float, float]

@final
class Parameters:
    """A checked, immutable parameter set: ring, modulus, scale, security. CKKS's has primes and levels, HEAAN's `log_q`."""

    @property
    def scheme(self) -> Literal["ckks", "heaan", "bgv", "bfv"]:
        """Which scheme they are of."""
    @property
    def _unit(self) -> str: ...
    @property
    def slots(self) -> int:
        """Number of slots unless a client asks for another one: half the ring degree, or what HEAAN's say."""
    @property
    def rows(self) -> int:
        """Number of rows that slots are arranged in: 2 with BGV and BFV, else 1. Rotations move values within each row."""
    @property
    def t(self) -> int | None:
        """The plaintext modulus of BGV and BFV, a prime or a product of primes: values are integers modulo t. None for CKKS and
        HEAAN."""
    @property
    def depth(self) -> int:
        """How many multiplications in a row a fresh ciphertext allows; with CKKS parameters that bootstrap, how many lie
        between two bootstraps: levels up to `bootstrap_input_level` are for bootstrapping."""
    @property
    def top_level(self) -> int | None:
        """The level of a fresh ciphertext; None for HEAAN, which has no levels."""
    @property
    def log_q(self) -> int:
        """Bits of the largest modulus of ciphertexts, of HEAAN's."""
    @property
    def log_p(self) -> int:
        """Binary logarithm of the default scale, of HEAAN's, and bits of a rescaling."""
    @property
    def can_bootstrap(self) -> bool:
        """Whether ciphertexts can be bootstrapped, with keys for it; of HEAAN's those of `slots` slots."""
    @property
    def has_sine(self) -> bool:
        """Whether a bootstrap returns `sin(pi / 2 * z)` of the values, for tables of integers, with keys for it."""
    @property
    def bootstrap_input_level(self) -> int | None:
        """The level that a ciphertext must have left to be bootstrapped. HEAAN's parameters have `bootstrap_input_log_q`."""
    @property
    def bootstrap_most_slots(self) -> int | None:
        """The largest number of slots that can be bootstrapped, which is 32 with `n15-boot-few`, and all of them with other
        presets of CKKS that bootstrap. None where the parameters do not bootstrap."""
    @property
    def bootstrap_input_log_q(self) -> int | None:
        """Bits of the modulus that a ciphertext of HEAAN with `slots` slots must have left to be bootstrapped, at a scale of at
        most `2**log_p`."""
    @property
    def bootstrap_output_log_q(self) -> int | None:
        """Bits of the modulus of a ciphertext of HEAAN with `slots` slots that has been bootstrapped. CKKS's are at level
        `bootstrap_input_level + depth`."""
    @property
    def max_level(self) -> int:
        """The highest level of all: `top_level`, or where bootstrapping starts."""
    @property
    def levels(self) -> list[dict[str, Any]]:
        """Every level, the lowest first: what it is for, sizes of its modulus, scale and rescaling in bits, number of
        primes."""
    @property
    def log_n(self) -> int:
        """Binary logarithm of the ring degree."""
    @property
    def log_qp(self) -> float:
        """Size in bits of the largest modulus under which anything is encrypted: with HEAAN twice `log_q`."""
    @property
    def scale_bits(self) -> int:
        """Binary logarithm of the scale of what is encrypted."""
    @property
    def security(self) -> int:
        """Bits of security reached by the 2024 guidelines: 128, 192 or 256; 0 for less, and for sparse secrets."""
    @property
    def security_margin(self) -> float:
        """Bits of modulus to spare at that security; negative when there are too many, and nan for sparse secrets, which the
        guidelines do not judge."""
    @property
    def pieces(self) -> int:
        """How many independent secrets the secret is the sum of: 1 for a single client, more for several parties."""
    @property
    def allow_insecure(self) -> bool:
        """Whether parameters weaker than asked for were accepted."""
    @property
    def q(self) -> list[int]:
        """The ciphertext primes; each but the first is a level."""
    @property
    def p(self) -> list[int]:
        """The special primes of key switching."""
    @property
    def precision_bits(self) -> float:
        """Estimated precision in bits of a product of two fresh ciphertexts with values up to 1."""
    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of each kind of object at the top level, headers aside; HEAAN's keys in the form that `backend="auto"` keeps
        them in."""
    @property
    def fingerprint(self) -> str:
        """Sixteen bytes that identify the parameter set, in hexadecimal."""
    def _messages(self, array: npt.NDArray[Any]) -> npt.NDArray[np.int64]: ...
    def to_json(self) -> str:
        """A description that `from_json` takes."""
    @staticmethod
    def from_json(text: str, *, allow_insecure: bool = False) -> Parameters:
        """Checks and takes a description; parameters weaker than they say take `allow_insecure`."""
    def to_bytes(self) -> bytes:
        """The parameters in the wire format."""
    @staticmethod
    def from_bytes(data: _Bytes, *, max_bytes: int = ..., allow_insecure: bool = False) -> Parameters:
        """Reads and checks parameters; those weaker than they say take `allow_insecure`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def preset(
    name: str, *, t_bits: int | None = None, parties: int | None = None, threshold: int | None = None
) -> Parameters:
    """The parameter set called `name`; `presets()` lists them. With `t_bits`, 2 to 119, a preset of BGV or BFV computes
    modulo a product of primes of at least that many bits: with 64 all values of int64 fit, with more, larger results up to
    `2**(t_bits - 1)` are refused instead of wrapping around. Ciphertexts have a component for each prime, and take as many
    times the memory and time; keys stay as they are. parties, threshold: for a secret that several parties make together
    (`ringjet.parties`), of whom `threshold` decrypt together, by default all; errors grow with the number of pieces that the
    secret then has."""

def preset_names() -> list[str]:
    """Names of the presets: those of CKKS, then those of HEAAN, BGV and BFV."""

def heaan(
    log_n: int = 16,
    log_q: int = 1200,
    log_p: int = 30,
    slots: int | None = None,
    *,
    secret_weight: int | None = None,
    security: Literal[128, 192, 256] = 128,
    allow_insecure: bool = False,
) -> Parameters:
    """Parameters of HEAAN: CKKS modulo a power of two, in which a rescaling takes any number of bits.

    log_n: binary logarithm of the ring degree, 4 to 17. log_q: bits of the largest modulus of ciphertexts, 20 to 4096; keys
    live modulo `2**(2 * log_q)`, which is what security depends on. log_p: binary logarithm of the default scale, and bits of
    a rescaling by default. slots: a power of two, by default half the ring degree. secret_weight: of secrets with so many
    non-zero coefficients, which take `allow_insecure`; by default secrets are dense. security: 128, 192 or 256 bits.
    """

def bgv(
    log_n: int,
    t: int | Sequence[int] | None = None,
    q_bits: Sequence[int] | None = None,
    p_bits: Sequence[int] | None = None,
    *,
    t_bits: int | None = None,
    q: Sequence[int] | None = None,
    p: Sequence[int] | None = None,
    scheme: Literal["bgv", "bfv"] = "bgv",
    alpha: int | None = None,
    parties: int | None = None,
    threshold: int | None = None,
    security: Literal[128, 192, 256] = 128,
    allow_insecure: bool = False,
) -> Parameters:
    """Parameters of BGV or BFV: exact integers modulo t, in two rows of `2**(log_n - 1)` slots.

    log_n: binary logarithm of the ring degree, 4 to 17. t: the plaintext modulus, by default 65537: a prime below 2**30 that
    is 1 modulo `2**(log_n + 1)`, or a list of up to four such primes, whose product it is. t_bits: its bits, 2 to 119, instead
    of t, as for `preset`. q_bits: sizes of the ciphertext primes; with BGV each but the first is a level. p_bits: sizes of the
    special primes; together they should exceed `alpha` ciphertext primes by some bits. q, p: the primes themselves. scheme:
    "bgv" switches to lower levels to keep noise small, "bfv" has no levels. parties, threshold: as for `preset`. security: 128,
    192 or 256 bits.
    """

def params(
    log_n: int | None = None,
    q_bits: Sequence[int] | None = None,
    p_bits: Sequence[int] | None = None,
    scale_bits: int | None = None,
    *,
    depth: int | None = None,
    slots: int | None = None,
    q: Sequence[int] | None = None,
    p: Sequence[int] | None = None,
    alpha: int | None = None,
    parties: int | None = None,
    threshold: int | None = None,
    security: Literal[128, 192, 256] = 128,
    allow_insecure: bool = False,
) -> Parameters:
    """Parameters of one's own: for a depth, or from prime sizes in bits (or the primes themselves), checked for security.

    depth: that many products in a row, in the smallest ring that is secure for them and has `slots` slots, at a scale of
    `scale_bits`, 20 to 45, by default 40. Special primes and digits are those for which key switching is fastest.
    Values at the last level may be up to `2**9` in size, with more than 40 scale_bits less: `2**(49 - scale_bits)`. Large
    rings have few primes near small scales, such as 20 bits: the error then says how many levels there are.

    Without a depth: log_n: binary logarithm of the ring degree, 10 to 17. q_bits: sizes of the ciphertext primes, the first stays to the
    end and each further one is a level. p_bits: sizes of the special primes; together they must be as large as `alpha`
    ciphertext primes. scale_bits: binary logarithm of the scale, by default the size of the last ciphertext prime.
    parties, threshold: as for `preset`.
    """

def bootstrap_chain(
    *,
    log_n: int,
    message_levels: int,
    scale_bits: int = 40,
    prime_bits: int = 50,
    first_bits: int = 50,
    log_ratio: float = 13.5,
    eval_mod_bits: float = 61.5,
    coeffs_to_slots_bits: float = 50.0,
    slots_to_coeffs_bits: int | None = None,
    special: int = 7,
    shared_primes: bool = False,
    slots_to_coeffs: Sequence[int] | None = None,
    coeffs_to_slots: Sequence[int] | None = None,
    slots_to_coeffs_first: bool = True,
    k: int = 16,
    degree: int = 30,
    double_angles: int = 3,
    arcsine: int = 1,
    passes: int = 1,
    secret_weight: int = 32,
    matrix_keys: bool = False,
    baby_steps: int = 0,
    sine: bool = False,
    security: Literal[128, 192, 256] = 128,
    allow_insecure: bool = False,
) -> Parameters:
    """Parameters of one's own that bootstrap. Messages have `message_levels` levels of `scale_bits` between two bootstraps,
    above a lowest prime of `first_bits`. All primes are below `2**prime_bits`, 40 to 50; first_bits and scale_bits must
    be at most prime_bits.

    log_ratio: how many bits of room a message has below the lowest prime while the modulus is raised; the sine's error of a
    value of 1 is about `2**(2.7 - 2 * log_ratio)`, a quarter of it with slots_to_coeffs_first. eval_mod_bits,
    coeffs_to_slots_bits: scales of the levels for bootstrapping alone. slots_to_coeffs_bits: primes of the levels of
    SlotsToCoeffs, by default of scale_bits; with fewer bits, ciphertexts cannot be multiplied by each other at these levels.
    special: number of special primes, of prime_bits bits. shared_primes: message levels share larger primes, which are fewer
    in all. slots_to_coeffs, coeffs_to_slots: how the `log_n - 1` stages of the Fourier transform are grouped into levels, by
    default three as even as they get; with k stages at most `2**k` slots can be bootstrapped. slots_to_coeffs_first: at the lowest levels, or else right below EvalMod; then
    log_ratio is `first_bits - scale_bits`. k, degree, double_angles, arcsine: the approximation of the sine.
    secret_weight: non-zero coefficients of the ephemeral secret. matrix_keys: the keys that lead back from that secret
    contain the first matrix of CoeffsToSlots, which then takes no level; if it is the only one, for few slots, a level of
    coeffs_to_slots_bits, such as 12, has no matrix. baby_steps: at most so many rotations of the input
    in each matrix of CoeffsToSlots, a power of two, twice as many in SlotsToCoeffs, and one key for all giant steps of a
    matrix: fewer keys, more time. 0: as many as is fastest.
    """

@final
class Client:
    """Holds the secret key: encrypts, decrypts, and makes the public keys. The secret leaves it only through
    `to_secret_bytes` and `save`."""

    def __new__(
        cls,
        params: Parameters | str,
        slots: int | None = None,
        seed: int | _Bytes | None = None,
        *,
        magnitude: _Bounds | None = None,
    ) -> Self:
        """A client with a fresh secret. `slots`: a power of two, all by default. `seed` makes everything reproducible: the
        same calls give the same bytes, and whoever knows it can read everything. A number can be guessed and is for tests;
        32 random bytes must be kept as the secret key is. Other parameters get another key of the same seed, and other
        values other randomness. `magnitude`: the bounds on values where `encrypt` is told none, 1 by default."""
    @property
    def params(self) -> Parameters:
        """The parameters."""
    @property
    def key_id(self) -> str:
        """The identity of the secret key, in hexadecimal. It tells nothing about the key; everything made with it carries it."""
    @property
    def slots(self) -> int:
        """Number of values in a ciphertext."""
    def encrypt(
        self,
        values: _Numbers,
        level: int | None = None,
        public: bool = False,
        *,
        fill: complex | None = None,
        log_q: int | None = None,
        magnitude: _Bounds | None = None,
    ) -> Ciphertext:
        """Encrypts up to `slots` real or complex values; how many they are, the `count`, goes with the ciphertext and is not
        secret. Slots beyond them get `fill`, by default 0, or the number nearest to 0 within an interval. `level`: how many
        multiplications will be possible, all by default; a lower one makes smaller ciphertexts. HEAAN has `log_q` instead,
        bits of the modulus. With the secret key the bytes take half the room of those made with the public one. `magnitude`:
        a bound on the size of real and imaginary parts, or an interval (low, high) of real values, by default the client's; it is
        not secret: it goes with the ciphertext, and everything that is checked and estimated later is for the largest values
        that it allows. Values outside are refused. Whether values are real is not secret either."""
    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext | _Bytes | _Path,
        complex: Literal[False] = False,
        *,
        all_slots: bool = False,
        check: bool = True,
        max_bytes: int = ...,
    ) -> _Real:
        """The values of a ciphertext or of its bytes (at most `max_bytes`), as many as it holds (its `count`), or with
        `all_slots=True` those of all slots: their real parts, or with `complex=True` complex numbers. For the eyes of the key's
        owner: the last bits of a decryption can tell others about the key; what is to be passed on goes through
        `decrypt_for_sharing`. BGV and BFV give integers (int64) between -(t-1)/2 and (t-1)/2. Raises `GarbageError` for what
        cannot be an encryption, under this key, of values within their stated magnitudes; with `check=False` it returns what
        comes out. Warns with `GarbageWarning` where the estimated errors are larger than the values can be."""
    @overload
    def decrypt(
        self,
        ciphertext: Ciphertext | _Bytes | _Path,
        complex: Literal[True],
        *,
        all_slots: bool = False,
        check: bool = True,
        max_bytes: int = ...,
    ) -> _Complex: ...
    def _decrypt(
        self,
        ciphertext: Ciphertext | _Bytes | _Path,
        complex: bool = False,
        *,
        all_slots: bool = False,
        check: bool = True,
        max_bytes: int = ...,
    ) -> tuple[Any, tuple[float, float] | None]: ...
    def noise_budget(self, ciphertext: Ciphertext | _Bytes | _Path, *, max_bytes: int = ...) -> float:
        """BGV and BFV only: the true noise budget of a ciphertext in bits, 0 or less where its values are lost.
        `Ciphertext.noise_budget` is a lower bound of it, for every key, and needs no secret."""
    def _precision_bits(self, ciphertext: Ciphertext | _Bytes | _Path, *, max_bytes: int = ...) -> float: ...
    @overload
    def decrypt_for_sharing(
        self,
        ciphertext: Ciphertext | _Bytes | _Path,
        bits: int | None = None,
        complex: Literal[False] = False,
        *,
        all_slots: bool = False,
        plan: Plan | Ciphertext | None = None,
        output: int | str | None = None,
        security: int = 40,
        answers: int = 1024,
        max_bytes: int = ...,
    ) -> _Real:
        """Decrypts for a result that leaves its owner's hands: noise hides what the exact error would tell about the key, and
        values are rounded to `bits` bits after the point. `all_slots`: as in `decrypt`. `plan`: what `ringjet.plan` found of the
        computation that the result should come from; how large its error can be is taken from there, and not from the
        ciphertext, whose sender can claim anything. The plan must have the counts of the inputs. `output`: which of the plan's
        outputs it is, where there are several. `security`: of hiding, in bits; `answers`: how many decryptions are shared under
        this key at most. They are counted in the key's file, in blocks of 16, before they are given; `to_secret_bytes` has the
        count, too. Raises `StreamError` where the file cannot be written. Refused where the plan is of something else, or the
        scale has no room for the noise."""
    @overload
    def decrypt_for_sharing(
        self,
        ciphertext: Ciphertext | _Bytes | _Path,
        bits: int,
        complex: Literal[True],
        *,
        all_slots: bool = False,
        plan: Plan | Ciphertext | None = None,
        output: int | str | None = None,
        security: int = 40,
        answers: int = 1024,
        max_bytes: int = ...,
    ) -> _Complex: ...
    @property
    def answers_given(self) -> int:
        """How many decryptions were shared under this key, as far as this client knows. The file that it was loaded from or
        saved to has the count for all who use the file."""
    def evaluation_keys(
        self,
        rotations: Sequence[int] = ...,
        conjugation: bool = False,
        relinearization: bool = True,
        progress: _Progress = None,
        *,
        bootstrapping: bool | Sequence[int] | None = None,
        levels: Mapping[str | int, int] | None = None,
        key_memory: _KeyMemory = "expanded",
    ) -> EvaluationKeys:
        """The public keys a server needs: to multiply ciphertexts (relinearization), to rotate by each of `rotations` slots
        to the left (negative ones go right), to conjugate. `bootstrapping`: True for ciphertexts of this client's number of
        slots, or a list of numbers of slots. `levels`: the highest level at which a key is used, by "relinearization",
        "conjugation" or the rotation; such keys are smaller. By default keys serve all levels. `progress`: True for a bar,
        or a callable taking (done, total). Ctrl-C stops the work. `key_memory`: "compressed" keeps half of each key as its
        seed."""
    def public_key(self) -> PublicKey:
        """The public key, with which others encrypt for this client."""
    def to_secret_bytes(self) -> bytes:
        """The secret key. Whoever has these bytes can read everything."""
    def save(self, path: _Path, *, overwrite: bool = False) -> None:
        """Writes `to_secret_bytes` to a file that its owner alone may read (mode 0600). A file of this key that is there
        already is replaced when the new one is complete. A file with another key, or with something that is no key, is
        refused (`OverwriteError`), unless `overwrite` is True. From now on the count of shared answers is kept in the file,
        as by `load`."""
    @staticmethod
    def load(
        path: _Path,
        slots: int | None = None,
        *,
        max_bytes: int = ...,
        allow_insecure: bool = False,
        params: Parameters | str | None = None,
        magnitude: _Bounds | None = None,
    ) -> Client:
        """A client from a file that `save` wrote; arguments as in `from_secret_bytes`. The count of shared answers stays in
        the file: it is written there before an answer is given, so that it holds for everybody who uses the file. Warns of
        a file that others may read."""
    @staticmethod
    def from_secret_bytes(
        data: _Bytes,
        slots: int | None = None,
        *,
        max_bytes: int = ...,
        allow_insecure: bool = False,
        params: Parameters | str | None = None,
        magnitude: _Bounds | None = None,
    ) -> Client:
        """A client from `to_secret_bytes`; arguments as in `EvaluationKeys.from_bytes`."""
    def __reduce__(self) -> Any: ...

@final
class PublicKey:
    """A client's public key."""

    @property
    def params(self) -> Parameters:
        """The parameters."""
    @property
    def key_id(self) -> str:
        """The identity of the client's key that it belongs to, in hexadecimal."""
    def to_bytes(self) -> bytes:
        """The key as bytes that can be sent."""
    @staticmethod
    def from_bytes(
        data: _Bytes, *, max_bytes: int = ..., allow_insecure: bool = False, params: Parameters | str | None = None
    ) -> PublicKey:
        """Reads a key; arguments as in `EvaluationKeys.from_bytes`."""
    def save(self, path: _Path) -> None:
        """Writes `to_bytes` to a file, as `Ciphertext.save` does."""
    @staticmethod
    def load(
        path: _Path, *, max_bytes: int = ..., allow_insecure: bool = False, params: Parameters | str | None = None
    ) -> PublicKey:
        """Reads a file that `save` wrote; arguments as in `from_bytes`."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Encryptor:
    """Encrypts for somebody else, with their public key; it cannot decrypt."""

    def __new__(
        cls, public_key: PublicKey | _Bytes, slots: int | None = None, *, magnitude: _Bounds | None = None
    ) -> Self:
        """From a public key, or the bytes of one with secure parameters. `slots`: a power of two, all by default. `magnitude`:
        the bounds on values where `encrypt` is told none, 1 by default."""
    @property
    def slots(self) -> int:
        """Number of values in a ciphertext."""
    @property
    def params(self) -> Parameters:
        """The parameters."""
    def encrypt(
        self,
        values: _Numbers,
        level: int | None = None,
        *,
        fill: complex | None = None,
        log_q: int | None = None,
        magnitude: _Bounds | None = None,
    ) -> Ciphertext:
        """Encrypts up to `slots` real or complex values; slots beyond them get `fill`, by default 0. Arguments as for
        `Client.encrypt`."""
    def to_bytes(self) -> bytes:
        """The public key and the number of slots as bytes that can be sent."""
    @staticmethod
    def from_bytes(
        data: _Bytes,
        *,
        max_bytes: int = ...,
        allow_insecure: bool = False,
        params: Parameters | str | None = None,
        magnitude: _Bounds | None = None,
    ) -> Encryptor:
        """Reads the bytes of `to_bytes`; arguments as in `EvaluationKeys.from_bytes`."""
    def save(self, path: _Path) -> None:
        """Writes `to_bytes` to a file, as `Ciphertext.save` does."""
    @staticmethod
    def load(
        path: _Path,
        *,
        max_bytes: int = ...,
        allow_insecure: bool = False,
        params: Parameters | str | None = None,
        magnitude: _Bounds | None = None,
    ) -> Encryptor:
        """Reads a file that `save` wrote; arguments as in `from_bytes`."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class EvaluationKeys:
    """Public keys for computing; they hold no secret."""

    @property
    def params(self) -> Parameters:
        """The parameters."""
    @property
    def key_id(self) -> str:
        """The identity of the client's key that they belong to, in hexadecimal."""
    @property
    def _request(self) -> str: ...
    @property
    def rotations(self) -> list[int]:
        """The rotations there are keys for, for all levels, in slots to the left; negative ones go right."""
    @property
    def relinearization(self) -> bool:
        """Whether ciphertexts can be multiplied."""
    @property
    def conjugation(self) -> bool:
        """Whether ciphertexts can be conjugated."""
    @property
    def bootstrapping(self) -> list[int]:
        """Numbers of slots for which there are bootstrapping keys. Very few slots take those of the smallest number: with
        `n16-boot` 1 to 8 slots those of 16."""
    @property
    def sizes(self) -> dict[str, int]:
        """Number of keys, and bytes of all of them as sent and in memory."""
    @property
    def key_memory(self) -> _KeyMemory:
        """How they are kept in memory: "expanded" or "compressed"."""
    def merge(self, other: EvaluationKeys) -> EvaluationKeys:
        """These keys and those of `other`, which must come from the same client."""
    def subset(
        self,
        rotations: Sequence[int] = ...,
        conjugation: bool = False,
        relinearization: bool = True,
        *,
        bootstrapping: Sequence[int] | None = None,
        levels: Mapping[str | int, int] | None = None,
    ) -> EvaluationKeys:
        """The keys that `Client.evaluation_keys` would make for these arguments, from those that are here:
        `keys.subset(**plan.keys)` are those of a plan. Keys for fewer levels are smaller, except where levels share primes.
        Missing ones are refused. `bootstrapping`: numbers of slots."""
    def to_bytes(self) -> bytes:
        """The keys as bytes that can be sent; half of each key is 32 bytes of seed."""
    @staticmethod
    def from_bytes(
        data: _Bytes,
        *,
        max_bytes: int = ...,
        allow_insecure: bool = False,
        params: Parameters | str | None = None,
        key_memory: _KeyMemory = "expanded",
    ) -> EvaluationKeys:
        """Reads keys; more than `max_bytes` are refused, and so is anything that is not valid throughout. Parameters weaker
        than they say take `allow_insecure`. `params`: of keys that come without theirs (from the Rust library).
        `key_memory`: "compressed" keeps half of each key as its seed, which takes half the memory, and more time at each
        use."""
    def save(self, path: _Path, progress: _Progress = None) -> None:
        """Writes the bytes of `to_bytes` to a file, without all of them in memory. `progress`, in bytes: True for a bar, or a
        callable taking (done, total). Ctrl-C stops the work between two keys. A file that is there already is replaced at the
        end, and stays as it was when anything goes wrong, such as a full disk."""
    @staticmethod
    def load(
        path: _Path,
        progress: _Progress = None,
        *,
        max_bytes: int = ...,
        allow_insecure: bool = False,
        params: Parameters | str | None = None,
        key_memory: _KeyMemory = "expanded",
    ) -> EvaluationKeys:
        """Reads a file that `save` wrote, piece by piece: memory is taken for the keys alone. `progress`, in bytes, as for
        `save`; other arguments as in `from_bytes`."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Server:
    """Computes on ciphertexts with public keys."""

    def __new__(
        cls,
        keys: EvaluationKeys | _Bytes | _Path | None = None,
        backend: str = "auto",
        threads: int | None = None,
        *,
        max_bytes: int = ...,
        allow_insecure: bool = False,
        params: Parameters | str | None = None,
        key_memory: _KeyMemory | None = None,
    ) -> Self:
        """A server with these keys: evaluation keys, their bytes as `EvaluationKeys.from_bytes` takes them, or the path of a
        file as `EvaluationKeys.load` does. `params`: of keys that come without theirs, also as the name of a preset.
        `key_memory`: "compressed" keeps half of each key as its seed, which takes half the memory, and more time at each use;
        by default keys stay as they are, and those that are read are "expanded".

        `Server(backend="model", params=...)` takes no keys and holds no values: it counts what a program on `input()`s does,
        with all keys there could be, and `estimate` says what that takes on a device."""
    def load(self, data: Ciphertext | _Bytes | _Path, *, max_bytes: int = ...) -> Ciphertext:
        """A ciphertext to compute with: from its bytes or the path of its file (at most `max_bytes`; every residue is
        checked), or from a ciphertext object of this process. One of another client is refused."""
    def bootstrap(self, ciphertext: Ciphertext, real: bool = False, progress: _Progress = None) -> Ciphertext:
        """The same values with all their levels again. Operators do this by themselves where a ciphertext has no level left;
        `real` says that the values are real, which takes about two thirds of the time. It needs keys made with
        `bootstrapping=True`, and a level of at least `params.bootstrap_input_level`. `progress`: True for a bar, or a
        callable taking (done, total). Ctrl-C stops the work between two phases.

        With HEAAN `log_q` is what comes back, for values up to 1 in size: with `params.slots` slots
        `params.bootstrap_input_log_q` bits must be left at a scale of `2**log_p`, to which a larger one is rescaled, and
        `params.bootstrap_output_log_q` come out. `real` saves nothing there."""
    def bootstrap_many(
        self, ciphertexts: Sequence[Ciphertext], real: bool = False, progress: _Progress = None
    ) -> list[Ciphertext]:
        """`bootstrap` of each, in their order; all of the same number of slots. Real ones share much of the work, two and
        two: about two thirds of the time of one after the other (not with HEAAN). Nothing is done where one of them cannot be
        bootstrapped.

        With keys for more slots too, such as `bootstrapping=[4096, 32768]`, CKKS bootstraps as many at once as have room in so
        many slots, in little more than the time of one. Errors are then up to `2 * sqrt(k)` times those of a bootstrap of so
        many slots, for k at once, or k pairs of real ones. Each must have one level more than `params.bootstrap_input_level`:
        otherwise they are bootstrapped one after the other.
        `progress`: True for a bar, or a callable taking (done, total); Ctrl-C stops the work between two."""
    def prepare_bootstrapping(self, slots: int | None = None, progress: _Progress = None) -> None:
        """Makes the matrices that bootstrapping needs, which otherwise happens at its first use: for ciphertexts of `slots`
        slots, by default of every number of slots there are keys for (on a model server when they are met). `progress`: True
        for a bar, or a callable taking (done, total). Ctrl-C stops the work between two matrices."""
    def input(
        self,
        slots: int | None = None,
        level: int | None = None,
        *,
        log_q: int | None = None,
        magnitude: _Bounds | None = None,
        count: int | None = None,
        fill: complex | None = None,
        complex: bool = False,
        public_key: bool = False,
    ) -> Ciphertext:
        """A fresh ciphertext without values, on a model server: of `slots` slots, all by default, at `level`, by default the
        top one; with HEAAN modulo `2**log_q`, by default the largest. It stands for one that came from a client, of real values
        up to `magnitude` (1 by default) or within it, or of complex ones, `count` of them (a value in every slot by default); `fill`
        matters where it is not 0; with `public_key` it was encrypted with the public key."""
    def estimate(self, device: _Path | None = None) -> Estimate:
        """What a model server's program takes on a device, from the server's start or the last `reset_counts` on. `device`: a
        name of `devices()`, by default this machine, or the path of a profile in TOML. For "h200" and "h100" it is the predicted time of the launches
        that this library makes on the GPU, for all others that of a device with the profile's figures."""
    def profile(self, *, device: _Path | None = None, depth: int = 2) -> Profile:
        """What this server computes in a `with` block, operation by operation, with times, levels, sizes and memory:

            with server.profile() as p:
                y = program(server, x)
            print(p)

        Operations are known by the line of the user's code, those of a `Program` by the line where it was recorded. All
        threads that use the server are seen. `device`: one of `devices()`, or the path of a profile in TOML; what the cost
        model says for it stands beside the measured times. `depth`: how many levels of steps are timed below each operation,
        such as the phases of a bootstrap. Nothing is measured outside of the block. One profile of a server at a time: a
        second one is refused with `ArgumentError`, as is a model server."""
    def _begin_profile(self, depth: int, device: _Path | None = None) -> None: ...
    def _end_profile(self) -> tuple[Any, ...]: ...
    def reset_counts(self) -> None:
        """A model server counts from nothing again. Ciphertexts and matrices that are there stay in memory."""
    def pim_traffic(self) -> PimTraffic:
        """What the processors in memory have done since they were opened, where they are the backend. All servers of a process
        with this backend share them."""
    def _counts(self) -> Counts: ...
    @staticmethod
    def _recording(params: Parameters | str, bootstrapping: bool, simulates: bool, modular: bool) -> Server: ...
    def _input(
        self,
        name: str,
        values: _Numbers | None = None,
        padding: list[bool] | None = None,
        slots: int | None = None,
        level: int | None = None,
        log_q: int | None = None,
        magnitude: _Bounds | None = None,
        count: int | None = None,
        fill: complex | None = None,
        complex: bool = False,
        public_key: bool = False,
    ) -> Ciphertext: ...
    def _facts(self) -> list[tuple[Any, ...]]: ...
    def _findings(self) -> list[tuple[str, str, str]]: ...
    def _keys(self) -> str: ...
    def _program(self, outputs: list[tuple[str, Ciphertext]], bootstrapping: bool) -> RecordedProgram: ...
    @property
    def _bootstraps(self) -> int: ...
    @property
    def bootstrapping(self) -> list[int]:
        """Numbers of slots for which there are bootstrapping keys. Very few slots take those of the smallest number: with
        `n16-boot` 1 to 8 slots those of 16."""
    @property
    def backend(self) -> str:
        """What it computes on, such as `cpu-ifma`."""
    @property
    def threads(self) -> int:
        """Number of threads."""
    @property
    def params(self) -> Parameters:
        """The parameters."""
    @property
    def key_id(self) -> str:
        """The identity of the client's key that its keys belong to, in hexadecimal; all zeros on a model server."""
    @property
    def rotations(self) -> list[int]:
        """The rotations there are keys for, for all levels."""

@final
class PartySpec:
    """The native half of `parties.Spec`."""

    def __new__(
        cls,
        params: Parameters | str,
        names: Sequence[str],
        threshold: int,
        plans: Sequence[bytes],
        *,
        rotations: Sequence[int] = ...,
        conjugation: bool = False,
        relinearization: bool = True,
        bootstrapping: Sequence[int] | None = None,
        levels: Mapping[Any, int] | None = None,
        answers: int = 1024,
        security: int = 40,
    ) -> Self: ...
    @property
    def params(self) -> Parameters: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def threshold(self) -> int: ...
    @property
    def security(self) -> int: ...
    @property
    def answers(self) -> int: ...
    @property
    def digest(self) -> str: ...
    def expect_plan(self, digest: bytes) -> None: ...

@final
class PartyKeys:
    """The native half of `parties.Party`."""

    def __new__(cls, spec: PartySpec, name: str, path: _Path | None = None, seed: bytes | None = None) -> Self: ...
    @staticmethod
    def load(path: _Path, allow_insecure: bool = False) -> PartyKeys: ...
    @property
    def name(self) -> str: ...
    @property
    def answers_given(self) -> int: ...
    @property
    def session_id(self) -> str: ...
    @property
    def spec(self) -> PartySpec: ...
    def hello(self) -> dict[str, bytes]: ...
    def receive(self, hellos: Sequence[bytes]) -> None: ...

@final
class PartySession:
    """The native half of `parties.Session`."""

    def __new__(cls, party: PartyKeys) -> Self: ...
    @property
    def round(self) -> str: ...
    @property
    def id(self) -> str: ...
    def next(self, lost: Sequence[str], progress: _Progress = None) -> bytes: ...
    def again(self, round: str, lost: Sequence[str], progress: _Progress = None) -> bytes: ...
    def receive(self, messages: Sequence[bytes]) -> None: ...
    def keys(self) -> tuple[PublicKey, EvaluationKeys]: ...
    def deal(self) -> dict[str, bytes]: ...
    def receive_deals(self, deals: Sequence[bytes]) -> None: ...
    def decryption_share(
        self,
        ciphertext: Ciphertext | bytes,
        plan: Plan | None,
        output: int | str | None,
        bits: int,
        active: Sequence[str],
        max_bytes: int,
    ) -> bytes: ...
    def refresh_share(
        self,
        ciphertext: Ciphertext | bytes,
        plan: Plan | None,
        output: int | str | None,
        active: Sequence[str],
        max_bytes: int,
    ) -> bytes: ...
    def combine(
        self,
        ciphertext: Ciphertext | bytes,
        shares: Sequence[bytes],
        bits: int | None,
        complex: bool,
        all_slots: bool,
        max_bytes: int,
    ) -> npt.NDArray[Any]: ...
    def refresh(self, ciphertext: Ciphertext | bytes, shares: Sequence[bytes], max_bytes: int) -> Ciphertext: ...

@final
class Counts:
    """What a model server had counted at one time; later operations do not change it."""

    def estimate(self, device: _Path) -> Estimate: ...

@final
class RecordedProgram:
    """The native half of `Program`."""

    @property
    def params(self) -> Parameters: ...
    @property
    def bootstrapping(self) -> bool: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def outputs(self) -> list[str]: ...
    @property
    def operations(self) -> list[str]: ...
    def options(self) -> list[tuple[Any, ...]]: ...
    def optimised(self, passes: list[str]) -> RecordedProgram: ...
    def record_on(
        self, server: Server, values: Sequence[_Numbers] | None = None, fill: complex | None = None
    ) -> list[Ciphertext]: ...
    def run(self, server: Server, inputs: Sequence[Ciphertext], progress: _Progress = None) -> list[Ciphertext]: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: _Path) -> None: ...
    @staticmethod
    def from_bytes(data: _Bytes, *, max_bytes: int = ..., allow_insecure: bool = False) -> RecordedProgram: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Ciphertext(Methods):
    """An encrypted vector. Immutable: every operation makes a new one. An operand in the clear is a number, which counts for
    every slot, also in an array of length 1; or an array with a number for each slot, or for each of the first `count` slots:
    the others then stay as they are. Operands of BGV and BFV in the clear are integers with the range of messages, vectors and
    single numbers alike."""

    __pandas_priority__: ClassVar[int]
    @property
    def level(self) -> int:
        """How many rescalings are left. HEAAN's ciphertexts have `log_q`."""
    @property
    def log_q(self) -> int:
        """Bits of the modulus, of HEAAN's ciphertexts: what is left to spend."""
    @property
    def log_scale(self) -> int:
        """Binary logarithm of the scale, of HEAAN's ciphertexts: a whole number."""
    @property
    def scale(self) -> float:
        """Binary logarithm of the scale."""
    @property
    def noise_budget(self) -> float:
        """BGV and BFV only: the noise budget in bits, a lower bound for every key. `Client.noise_budget` measures it."""
    @property
    def slots(self) -> int:
        """Number of slots."""
    @property
    def count(self) -> int:
        """How many of the first slots hold values: those that were encrypted, or every slot. It is not secret. Statistics are
        over so many values by default, and `Client.decrypt` returns so many. Operations on single slots keep it; of two operands
        with different counts one must hold a value in every slot, and the result has the count of the other. What moves values,
        as `rotate`, `inner_sum` and `swap_rows` do, or repeats a result, as `sum` does, has a value in every slot."""
    @property
    def _zero_padded(self) -> bool: ...
    @property
    def precision_bits(self) -> float:
        """Estimated precision in bits: -log2 of the standard deviation of a slot's error, for values as large as the circuit
        allows when the inputs are at most 1."""
    @property
    def magnitude(self) -> float:
        """Bound on the size of real and imaginary parts: as stated when they were encrypted, and what operations made of it
        since."""
    @property
    def range(self) -> tuple[float, float]:
        """Bounds on the real parts of the values, (low, high)."""
    @property
    def is_real(self) -> bool:
        """Whether all values are real."""
    @property
    def error_bound(self) -> float:
        """Bound on the error of every value, over all keys and all noise but with a probability of 2**-64; infinite after
        bootstrapping, where none is proved. What `decrypt_for_sharing` hides. It does not count that values are rounded to
        doubles while they are encoded, which depends on no secret; `precision_bits` counts it."""
    def _states_gap(
        self, op: str, gap: float, unit: float, zeros: bool, used: list[bool] | None = None
    ) -> Ciphertext: ...
    def _afresh(self, op: str, needed: int, text: str) -> Ciphertext | None: ...
    def _place(self) -> str | None: ...
    def _simulated(self) -> Any: ...
    @property
    def _left(self) -> int: ...
    @property
    def backend(self) -> str:
        """What it is computed on, such as `cpu-ifma`."""
    @property
    def params(self) -> Parameters:
        """The parameters."""
    @property
    def key_id(self) -> str:
        """The identity of the client's key that it is encrypted under, in hexadecimal; all zeros on a model server."""
    def __add__(self, other: _Operand, /) -> Ciphertext: ...
    def __radd__(self, other: _Operand, /) -> Ciphertext: ...
    def __sub__(self, other: _Operand, /) -> Ciphertext: ...
    def __rsub__(self, other: _Operand, /) -> Ciphertext: ...
    def __mul__(self, other: _Operand, /) -> Ciphertext: ...
    def __rmul__(self, other: _Operand, /) -> Ciphertext: ...
    def __truediv__(self, other: npt.ArrayLike | SupportsFloat, /) -> Ciphertext:
        """Division by numbers in the clear."""
    def __neg__(self) -> Ciphertext: ...
    def __pos__(self) -> Ciphertext: ...
    def __pow__(self, exponent: int, modulo: None = None, /) -> Ciphertext:
        """A non-negative integer power, at the least depth."""
    def __rmatmul__(self, matrix: npt.ArrayLike, /) -> Ciphertext:
        """`matrix @ ciphertext`."""
    def rotate(self, k: int) -> Ciphertext:
        """Rotates the slots by `k` to the left: slot j gets the value of slot j + k, as `np.roll(v, -k)` does."""
    def rotations(self, ks: Sequence[int]) -> list[Ciphertext]:
        """Several rotations of this one ciphertext, together faster than one by one (hoisting; not with HEAAN)."""
    def conjugate(self) -> Ciphertext:
        """The complex conjugate of every slot. Not with BGV and BFV."""
    def swap_rows(self) -> Ciphertext:
        """BGV and BFV only: swaps the two rows of slots. It needs the key of conjugation."""
    def inner_sum(self, stride: int, count: int, *, terms: int | None = None) -> Ciphertext:
        """Slot j gets the sum of the `count` slots j, j + stride, j + 2 stride, ... of its row, which goes on at its beginning.
        A sum that would meet a slot twice raises `WindowError`; `sum` adds all values. `inner_sum_rotations(stride, count)`
        says which rotation keys it takes. terms: states that at most so many of them are not zero; bounds of the sum rely on
        it."""
    def polynomial(self, p: npt.ArrayLike | Callable[..., Any], *, slope: float | None = None) -> Ciphertext:
        """A polynomial of every slot: coefficients with the constant first, a `numpy.polynomial` object or an
        `Approximation`; of BGV and BFV whole numbers below 2**53 in size, taken modulo t. HEAAN has `x**n`. slope: states that
        the derivative is at most that large at all values that matter; the estimates of errors rely on it, and without it they
        are for the steepest part of the interval."""
    def _tables(self, tables: Sequence[Sequence[float]]) -> list[Ciphertext]:
        """Tables of numbers whose sines this ciphertext holds: the number m of p is encoded as `(2 * m + 1 - p) / p`, and the
        result is `table[m]`. They share the powers of this ciphertext."""
    def polynomials(
        self,
        ps: Sequence[npt.ArrayLike | Callable[..., Any]],
        *,
        slopes: Sequence[float] | None = None,
        near: Sequence[float] | None = None,
    ) -> list[Ciphertext]:
        """Several polynomials of every slot, as `polynomial` evaluates each. With CKKS they share the powers of this
        ciphertext. slopes: one for each polynomial. near: states that all values that matter are close to these numbers;
        with slopes, the estimates of errors of Chebyshev series on [-1, 1] rely on it."""
    def matmul(self, matrix: LinearTransform | npt.ArrayLike) -> Ciphertext:
        """`matrix @ x`. matrix: a matrix with a column for each slot, and at most as many rows, or a `LinearTransform`. Slots of
        no row are zero in the product. With BGV and BFV it multiplies each row of slots. Not with HEAAN."""
    def to_level(self, level: int) -> Ciphertext:
        """The same values at a lower level: fewer bytes, and faster to compute with. HEAAN has `mod_down_to`."""
    def rescale(self, bits: int | None = None) -> Ciphertext:
        """Divides modulus and scale by `2**bits`, of HEAAN's ciphertexts: any number of bits up to those of the scale, by
        default `params.log_p`. Operators do this by themselves, before a product where the scale is larger than
        `2**log_p`."""
    def mod_down_to(self, log_q: int) -> Ciphertext:
        """The same values and scale modulo the smaller `2**log_q`, exactly, of HEAAN's ciphertexts: fewer bytes, and faster
        to compute with."""
    def bootstrap(self, real: bool = False) -> Ciphertext:
        """The same values with all their levels, or HEAAN's bits of modulus, again, as `Server.bootstrap` makes them."""
    def sine(self) -> Ciphertext:
        """`sin(pi / 2 * z)` of every value z, at the highest level of messages: a bootstrap of parameters with `has_sine`.
        Values must be between -1 and 1; of complex ones it is the sine of each part. It needs keys made with
        `bootstrapping=True`, and a level of at least `params.bootstrap_input_level`."""
    def times_i(self) -> Ciphertext:
        """The values times the imaginary unit, exactly: no level is spent."""
    def with_slots(self, slots: int) -> Ciphertext:
        """The same ciphertext as a vector of `slots` values: a longer one repeats the values, a shorter one takes it that
        they repeat, which only its maker can know. Shorter vectors are faster to bootstrap."""
    def with_count(self, count: int) -> Ciphertext:
        """States that the first `count` slots hold values, where the caller knows it better than the rule that `count`
        follows: 1 to `slots`."""
    def with_magnitude(self, magnitude: float) -> Ciphertext:
        """States a bound on the size of real and imaginary parts, where the caller knows a smaller one than what operations made
        of the operands' bounds. Everything that is checked and estimated from here on relies on it."""
    def with_range(self, low: float, high: float) -> Ciphertext:
        """States that all values are real and between `low` and `high`; otherwise as `with_magnitude`."""
    def with_error(self, deviation: float) -> Ciphertext:
        """States the standard deviation of the errors of real parts, where the caller knows it better than the estimate:
        errors that ringjet takes for dependent may be independent. Estimates from here on rely on it. Bounds of errors, and
        what is added before results are shared, do not."""
    def to_bytes(self) -> bytes:
        """The ciphertext as bytes; a fresh one takes half the room, the other half being 32 bytes of seed."""
    def save(self, path: _Path) -> None:
        """Writes `to_bytes` to a file, which is replaced when the new one is complete; `Server.load(path)` and
        `Client.decrypt(path)` read it. A file with a secret key is not replaced (`OverwriteError`)."""
    def __hash__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def _repr_html_(self) -> str: ...

@final
class Explicit:
    """The operations of `ringjet.explicit`, which describes them. A scale is a pair of doubles whose sum it is."""

    @staticmethod
    def add(x: Ciphertext, y: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def add_plain(x: Ciphertext, values: _Numbers) -> Ciphertext: ...
    @staticmethod
    def conjugate(x: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def divisor_of_level(params: Parameters, level: int) -> tuple[float, float]: ...
    @staticmethod
    def drop_level(x: Ciphertext, level: int) -> Ciphertext: ...
    @staticmethod
    def mul(x: Ciphertext, y: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def mul_integer(x: Ciphertext, integer: int) -> Ciphertext: ...
    @staticmethod
    def mul_plain(x: Ciphertext, values: _Numbers, scale: tuple[float, float]) -> Ciphertext: ...
    @staticmethod
    def mul_plain_sum(
        xs: Sequence[Ciphertext], values: Sequence[_Numbers], scale: tuple[float, float]
    ) -> Ciphertext: ...
    @staticmethod
    def neg(x: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def parts(x: Ciphertext) -> int: ...
    @staticmethod
    def relinearize(x: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def relinearize_rescale(x: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def rescale(x: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def rescale_to(x: Ciphertext, level: int) -> Ciphertext: ...
    @staticmethod
    def rotate(x: Ciphertext, k: int) -> Ciphertext: ...
    @staticmethod
    def rotation_sum(x: Ciphertext, ks: Sequence[int]) -> Ciphertext: ...
    @staticmethod
    def rotations(x: Ciphertext, ks: Sequence[int]) -> list[Ciphertext]: ...
    @staticmethod
    def scale(x: Ciphertext) -> tuple[float, float]: ...
    @staticmethod
    def scale_of_level(params: Parameters, level: int) -> tuple[float, float]: ...
    @staticmethod
    def sub(x: Ciphertext, y: Ciphertext) -> Ciphertext: ...
    @staticmethod
    def with_scale(x: Ciphertext, scale: tuple[float, float]) -> Ciphertext: ...

def drowned(bits: float, magnitude: float) -> bool:
    """Whether errors of the standard deviation `2**-bits` drown values of at most `magnitude`: no digit is right."""

def precision_text(bits: float, magnitude: float) -> str:
    """As text, the precision of values of at most `magnitude` whose errors have the standard deviation `2**-bits`."""

def replace_file(path: _Path, data: _Bytes) -> None:
    """Writes bytes to a file, as `Ciphertext.save` does: those of an object that only Python has."""

def restore_ciphertext(data: _Bytes) -> Ciphertext:
    """A ciphertext out of a pickle."""

def sum_of_products(xs: Sequence[Ciphertext], ys: Sequence[Ciphertext]) -> Ciphertext:
    """The sum of `x * y` over two lists of ciphertexts. With one relinearisation in all it is cheaper than the operators; with
    HEAAN it does as they do."""

def _weighted_sums(
    ciphertexts: Sequence[Ciphertext],
    weights: npt.NDArray[np.float64],
    bias: npt.NDArray[np.float64],
    rows: int,
    bits: int | None,
    level: int | None,
    progress: _Progress = None,
) -> list[Ciphertext]: ...
def _transpose_rows(rows: Sequence[Ciphertext], entries: float) -> list[Ciphertext]: ...
def _mul_rows(
    columns: Sequence[Ciphertext], rows: Sequence[Ciphertext], left: float, right: float
) -> list[Ciphertext]: ...
def weighted_sum(ciphertexts: Sequence[Ciphertext], weights: _Numbers, level: int | None = None) -> Ciphertext:
    """The sum of `weight * ciphertext`, with one rescaling in all: cheaper and more precise than the operators. The result is
    at `level`, by default one below the lowest ciphertext; HEAAN has none. Weights may be complex; of BGV and BFV they are
    whole numbers below 2**53 in size, taken modulo t."""

@final
class Approximation:
    """A polynomial that stands for a function on an interval; `approximate` makes it. Call it with numbers or arrays, or
    give it to `Ciphertext.polynomial`."""

    @property
    def error(self) -> float:
        """The largest distance from the function on the interval."""
    @property
    def domain(self) -> tuple[float, float]:
        """The interval: (low, high)."""
    @property
    def degree(self) -> int:
        """Degree of the polynomial."""
    @property
    def depth(self) -> int:
        """Levels that its evaluation takes."""
    @property
    def coef(self) -> list[float]:
        """Coefficients of the Chebyshev polynomials on the interval, constant first."""
    @property
    def function(self) -> Callable[..., Any] | None:
        """The function; None if it was given by its name."""
    def __call__(self, x: npt.ArrayLike) -> Any:
        """The polynomial's values at `x`, a number or an array."""

def approximate(f: str | Callable[..., Any], interval: tuple[float, float], error: float = ...) -> Approximation:
    """The polynomial of the least degree that is within `error` of a function on an interval.

    f: a function of numpy arrays or of numbers, or one of the names "abs", "cos", "erf", "exp", "gelu", "inverse_sqrt",
    "log", "reciprocal", "relu", "sigmoid", "silu", "sin", "softplus", "sqrt", "square" and "tanh". interval: (low, high).
    error: the largest distance that is allowed. What f does between its samples, 16,385 to 65,537 of them, is not seen.
    Refused: an error that no polynomial reaches, naming the least possible, and functions that are not finite on the
    interval."""

@final
class LinearTransform:
    """A matrix prepared for `Ciphertext.matmul`; it says which rotation keys it needs, and keeps what it encodes."""

    def __new__(
        cls, matrix: npt.ArrayLike, slots: int | None = None, *, batch: int = 1, keep: _Keep = "encoded"
    ) -> Self:
        """From a matrix of any shape. Element i of the vector is in slot `i * batch`, and `batch` vectors are side by side:
        element i of vector b in slot `i * batch + b`. slots: those of the ciphertexts, by default the larger number of rows and
        columns, rounded up to a power of two, times batch; then the product is fastest. Slots of no row are zero in the product.
        Zero diagonals cost nothing. For BGV and BFV: the slots of a row, and whole numbers below 2**53 in size with the range of
        messages.

        keep: what a server keeps of a diagonal for each level of CKKS ciphertexts that it multiplies. "encoded": polynomials,
        ready for use, for n slots `16 * n` bytes for each prime of the level's modulus and, unless there are hundreds of
        diagonals, each special prime. "coefficients": integers, `8 * n` or `16 * n` bytes; each product makes the polynomials
        again, in parts of at most 256 MB, which takes longer. Results are the same."""
    @staticmethod
    def from_diagonals(
        slots: int,
        diagonals: Mapping[int, npt.ArrayLike],
        *,
        shape: tuple[int, int] | None = None,
        keep: _Keep = "encoded",
    ) -> LinearTransform:
        """From diagonals: `diagonals[k][j]` is the element of row j and column j + k, modulo slots. k may be negative. The
        vectors have `slots` elements, a power of two. `shape`: (rows, columns), by default `slots` each; elements beyond
        them must be 0. `keep`: see the class."""
    @property
    def slots(self) -> int:
        """Number of slots."""
    @property
    def rotations(self) -> list[int]:
        """The rotations whose keys it needs."""
    @property
    def keep(self) -> _Keep:
        """What a server keeps of the diagonals: "encoded" or "coefficients"."""
    def to_bytes(self) -> bytes:
        """The matrix as bytes, without zero diagonals. It is in the clear."""
    @staticmethod
    def from_bytes(data: _Bytes, *, max_bytes: int = ...) -> LinearTransform:
        """Reads the bytes of `to_bytes`; more than `max_bytes` are refused."""
    def save(self, path: _Path) -> None:
        """Writes `to_bytes` to a file, as `Ciphertext.save` does. It is in the clear."""
    @staticmethod
    def load(path: _Path, *, max_bytes: int = ...) -> LinearTransform:
        """Reads a file that `save` wrote; more than `max_bytes` are refused."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any) -> Self: ...
    def _apply(self, values: _Numbers) -> _Complex: ...

def sines(ciphertexts: Sequence[Ciphertext], *, wraps: bool = False, progress: _Progress = None) -> list[Ciphertext]:
    """`sine` of each ciphertext, in order. Two real ones share much of a bootstrap. All must have the same number of slots;
    where one cannot be bootstrapped, nothing is done. wraps: True takes values of any size, not only up to 1. progress: True
    for a bar, or a callable taking (done, total)."""

def table_error(values: Sequence[float], within: float) -> float:
    """The largest error of a table's result where a value is at most `within` away from that of a number."""

def sign_stages(gap: float, error: float) -> list[tuple[list[float], float]]:
    """The sign of numbers in [-1, 1], as polynomials that are applied one after the other: the coefficients of each in Chebyshev
    polynomials, and its largest slope for numbers beyond the gap. The composition is within `error` of the sign for absolute
    values from `gap` to 1. It stays within [-1, 1], and is 0 at 0. It takes the fewest levels, and of those the fewest products.
    gap: 2**-36 to 1. error: 1e-10 to 1."""

def inner_sum_rotations(stride: int, count: int) -> list[int]:
    """The rotations that `Ciphertext.inner_sum(stride, count)` needs."""

def _decompress_zstd(data: _Bytes, max_bytes: int) -> bytes | None:
    """The content of a zstd frame, at most so many bytes of it; None if the frame is damaged."""

def set_threads(n: int) -> None:
    """Sets how many threads clients and servers made from now on use; 0: one a core."""

def threads() -> int:
    """How many threads clients and servers made from now on use."""

def backends() -> list[str]:
    """The backends that this machine can run, without `cuda-emulated` and `pim-emulated`, which run everywhere and are for
    tests."""

def command(arguments: Sequence[str]) -> int:
    """Runs `ringjet` with these arguments, and returns its exit status. Not for use in programs."""

def devices() -> list[str]:
    """The devices that `Server.estimate` knows by name."""
