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

from . import (
    _methods,
    images as images,
)
from ._comparisons import (
    equal as equal,
    greater as greater,
    less as less,
    maximum as maximum,
    minimum as minimum,
    where as where,
)
from ._pim import PimTraffic as PimTraffic
from ._presets import (
    Preset as Preset,
    PresetTable as PresetTable,
    presets as presets,
)
from ._restore import allow_insecure_pickles as allow_insecure_pickles
from ._ringjet import (
    Approximation as Approximation,
    Ciphertext as Ciphertext,
    Client as Client,
    Encryptor as Encryptor,
    EvaluationKeys as EvaluationKeys,
    LinearTransform as LinearTransform,
    Parameters as Parameters,
    PublicKey as PublicKey,
    Server as Server,
    __version__ as __version__,
    approximate as approximate,
    backends as backends,
    bgv as bgv,
    bootstrap_chain as bootstrap_chain,
    devices as devices,
    heaan as heaan,
    inner_sum_rotations as inner_sum_rotations,
    params as params,
    preset as preset,
    set_threads as set_threads,
    sum_of_products as sum_of_products,
    threads as threads,
    weighted_sum as weighted_sum,
)
from ._statistics import (
    corrcoef as corrcoef,
    cov as cov,
)
from .errors import *  # exceptions have one list, that module
from .matrices import (
    EncryptedMatrix as EncryptedMatrix,
    decrypt_matrix as decrypt_matrix,
    encrypt_matrix as encrypt_matrix,
    load_matrix as load_matrix,
    plan_matrices as plan_matrices,
    simulate_matrices as simulate_matrices,
)
from .ml.estimator import LogisticRegression as LogisticRegression
from .program import (
    Bootstrap as Bootstrap,
    Estimate as Estimate,
    Finding as Finding,
    Output as Output,
    Plan as Plan,
    Program as Program,
    SimulatedOutput as SimulatedOutput,
    Simulation as Simulation,
    Step as Step,
    compile as compile,
    plan as plan,
    simulate as simulate,
)
from .serve import connect as connect

# after the other imports: the package `cluster` uses them; the name is then that of the class
from .cluster import cluster as cluster  # isort: skip

_methods.install()
