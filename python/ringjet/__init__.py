"""Computing on encrypted vectors of numbers (CKKS, and HEAAN with parameters of `heaan`), and of
integers (BGV and BFV, with parameters of `bgv`).

A `Client` holds the secret, encrypts and decrypts. A `Server` gets public keys and ciphertexts, and
computes; it cannot hold a secret. A `Ciphertext` is used like a numpy vector: `+ - * / **`,
`matrix @ ciphertext`, `rotate`, `inner_sum`, `polynomial`, `apply`. All objects that are sent have
`to_bytes`; reading the bytes takes a size limit.

    client = rj.Client(rj.preset("n15-depth9"))
    server = rj.Server(client.evaluation_keys(rotations=[1]).to_bytes())
    x = server.load(client.encrypt([1.0, 2.0, 3.0]).to_bytes())
    client.decrypt((x * x + x.rotate(1)).to_bytes())

With parameters and keys for bootstrapping, a computation may go on after its levels are used up.
`plan` runs a program without values: it reports where the program bootstraps, which keys it needs
and how precise its results are. `simulate` runs a program on values in the clear and warns if they
leave an interval or a modulus. `Server(backend="model", params=...)` counts the operations of a
program instead of computing, and estimates their time on a device. `LogisticRegression` trains on
encrypted data and has scikit-learn's interface. `cluster` computes on the nodes of a Ray cluster.

A ciphertext from a pickle is attached at its first use to the server that has its client's keys. If
the process has no such server, or more than one, `server.load(ciphertext)` chooses the server.
"""

from . import explicit as explicit
from ._pim import PimTraffic as PimTraffic
from ._presets import (
    Preset as Preset,
)
from ._presets import (
    PresetTable as PresetTable,
)
from ._presets import (
    presets as presets,
)
from ._restore import allow_insecure_pickles as allow_insecure_pickles
from ._ringjet import (
    Approximation as Approximation,
)
from ._ringjet import (
    Ciphertext as Ciphertext,
)
from ._ringjet import (
    Client as Client,
)
from ._ringjet import (
    Encryptor as Encryptor,
)
from ._ringjet import (
    EvaluationKeys as EvaluationKeys,
)
from ._ringjet import (
    LinearTransform as LinearTransform,
)
from ._ringjet import (
    Parameters as Parameters,
)
from ._ringjet import (
    PublicKey as PublicKey,
)
from ._ringjet import (
    Server as Server,
)
from ._ringjet import (
    __version__ as __version__,
)
from ._ringjet import (
    approximate as approximate,
)
from ._ringjet import (
    backends as backends,
)
from ._ringjet import (
    bgv as bgv,
)
from ._ringjet import (
    bootstrap_chain as bootstrap_chain,
)
from ._ringjet import (
    devices as devices,
)
from ._ringjet import (
    heaan as heaan,
)
from ._ringjet import (
    inner_sum_rotations as inner_sum_rotations,
)
from ._ringjet import (
    params as params,
)
from ._ringjet import (
    preset as preset,
)
from ._ringjet import (
    set_threads as set_threads,
)
from ._ringjet import (
    sines as sines,
)
from ._ringjet import (
    sum_of_products as sum_of_products,
)
from ._ringjet import (
    threads as threads,
)
from ._ringjet import (
    weighted_sum as weighted_sum,
)
from .errors import *  # exceptions have one list, that module

# the name of the package `integers` is then that of its function
from .integers import (
    EncryptedIntegers as EncryptedIntegers,
)
from .integers import (
    IntegerType as IntegerType,
)
from .integers import (
    argmax as argmax,
)
from .integers import (
    argmin as argmin,
)
from .integers import (
    integers as integers,
)
from .integers import (
    tables as tables,
)
from .ml.estimator import LogisticRegression as LogisticRegression
from .program import (
    Bootstrap as Bootstrap,
)
from .program import (
    Estimate as Estimate,
)
from .program import (
    Finding as Finding,
)
from .program import (
    Output as Output,
)
from .program import (
    Plan as Plan,
)
from .program import (
    Profile as Profile,
)
from .program import (
    ProfiledOperation as ProfiledOperation,
)
from .program import (
    ProfiledStep as ProfiledStep,
)
from .program import (
    ProfileRow as ProfileRow,
)
from .program import (
    Program as Program,
)
from .program import (
    SimulatedOutput as SimulatedOutput,
)
from .program import (
    Simulation as Simulation,
)
from .program import (
    Step as Step,
)
from .program import (
    compile as compile,
)
from .program import (
    plan as plan,
)
from .program import (
    simulate as simulate,
)
from .serve import connect as connect
from .vectors import (
    _methods,
)
from .vectors import (
    images as images,
)
from .vectors._comparisons import (
    equal as equal,
)
from .vectors._comparisons import (
    greater as greater,
)
from .vectors._comparisons import (
    less as less,
)
from .vectors._comparisons import (
    maximum as maximum,
)
from .vectors._comparisons import (
    minimum as minimum,
)
from .vectors._comparisons import (
    where as where,
)
from .vectors._statistics import (
    corrcoef as corrcoef,
)
from .vectors._statistics import (
    cov as cov,
)
from .vectors._sums import (
    weighted_sums as weighted_sums,
)
from .vectors.matrices import (
    EncryptedMatrix as EncryptedMatrix,
)
from .vectors.matrices import (
    decrypt_matrix as decrypt_matrix,
)
from .vectors.matrices import (
    encrypt_matrix as encrypt_matrix,
)
from .vectors.matrices import (
    load_matrix as load_matrix,
)
from .vectors.matrices import (
    plan_matrices as plan_matrices,
)
from .vectors.matrices import (
    simulate_matrices as simulate_matrices,
)

# after the other imports: the package `cluster` uses them; the name is then that of the class
from .cluster import cluster as cluster  # isort: skip

_methods.install()
