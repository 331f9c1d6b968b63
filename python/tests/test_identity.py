"""Objects of two clients cannot be combined, and objects made from a seed are bound to their
purpose."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

import ringjet as rj

CKKS = rj.params(7, [50] + [40] * 3, [50], allow_insecure=True)
HEAAN = rj.heaan(7, 160, allow_insecure=True)
HEADER = 48


class Side:
    """A client and its server."""

    def __init__(self, params: rj.Parameters) -> None:
        self.client = rj.Client(params)
        self.keys = self.client.evaluation_keys([1], conjugation=True)
        self.server = rj.Server(self.keys)
        self.x = self.server.load(self.client.encrypt([0.5, -0.25]))


@pytest.fixture(scope="module", params=[CKKS, HEAAN], ids=["ckks", "heaan"])
def sides(request: pytest.FixtureRequest) -> tuple[Side, Side]:
    return Side(request.param), Side(request.param)


def refused(call: Callable[[], object], what: str, expected: str, found: str) -> None:
    with pytest.raises(rj.KeyMismatchError, match=f"the {what} belongs to key {found}, not to {expected}") as e:
        call()
    assert (e.value.what, e.value.expected, e.value.found) == (what, expected, found)
    assert isinstance(e.value, rj.RingjetError) and "encrypt again" in str(e.value)


def test_everything_carries_the_identity_of_its_key(sides):
    a, b = sides
    own = a.client.key_id
    assert own != b.client.key_id and len(bytes.fromhex(own)) == 16 and any(bytes.fromhex(own))
    public = a.client.public_key()
    assert {public.key_id, a.keys.key_id, a.server.key_id, a.x.key_id, (a.x * a.x).key_id} == {own}
    assert rj.Encryptor(public).encrypt([1.0]).to_bytes()[32:48].hex() == own
    for made in (public, a.keys):
        assert type(made).from_bytes(made.to_bytes(), allow_insecure=True).key_id == own
    assert a.server.load(a.x.to_bytes()).key_id == own
    assert rj.Client.from_secret_bytes(a.client.to_secret_bytes(), allow_insecure=True).key_id == own


def test_foreign_objects_are_refused(sides):
    a, b = sides
    ids = a.client.key_id, b.client.key_id
    for y in (b.x, b.x.to_bytes(), b.client.encrypt([1.0]), rj.Encryptor(b.client.public_key()).encrypt([1.0])):
        refused(lambda y=y: a.server.load(y), "ciphertext", *ids)
        refused(lambda y=y: a.client.decrypt(y), "ciphertext", *ids)
        plan = rj.plan(lambda x: x, a.client.params)
        refused(lambda y=y, plan=plan: a.client.decrypt_for_sharing(y, 4, plan=plan), "ciphertext", *ids)
    for operation in (
        lambda: a.x + b.x,
        lambda: a.x - b.x,
        lambda: a.x * b.x,
        lambda: rj.sum_of_products([a.x, a.x], [a.x, b.x]),
        lambda: rj.weighted_sum([a.x, b.x], [0.5, 0.5]),
    ):
        refused(operation, "ciphertext", *ids)
    refused(lambda: a.keys.merge(b.keys), "evaluation keys", *ids)
    more = a.keys.merge(a.client.evaluation_keys([5]))
    assert more.key_id == ids[0] and set(more.rotations) >= {1, 5}


def test_bootstrapping_refuses_foreign_ciphertexts():
    params = rj.bootstrap_chain(log_n=8, message_levels=3, special=4, allow_insecure=True)
    a, b = rj.Client(params), rj.Client(params)
    server = rj.Server(a.evaluation_keys(bootstrapping=True))
    for call in (server.bootstrap, lambda y: server.bootstrap_many([y])):
        refused(lambda call=call: call(b.encrypt([1.0])), "ciphertext", a.key_id, b.key_id)


ONE_PROCESS = """
import pickle
import ringjet as rj
params = rj.params(7, [50] + [40] * 3, [50], allow_insecure=True)
clients = [rj.Client(params) for _ in range(2)]
servers = [rj.Server(c.evaluation_keys()) for c in clients]
for client, server in zip(clients, servers):
    x = pickle.loads(pickle.dumps(server.load(client.encrypt([0.5]))))
    assert x.key_id == client.key_id
    assert abs(client.decrypt(x * x)[0] - 0.25) < 1e-4
other = pickle.loads(pickle.dumps(rj.Client(params).encrypt([0.5])))
try:
    other * other
except rj.DetachedError as e:
    assert "0 servers of this process have its client's keys" in str(e), e
else:
    raise AssertionError
"""


def test_pickled_ciphertexts_join_the_server_of_their_client():
    subprocess.run([sys.executable, "-c", ONE_PROCESS], check=True, timeout=120)


def masks(data: bytes) -> set[bytes]:
    """Possible seeds of uniform halves: random-looking 32 bytes after the header. In a ciphertext
    (object 7) they come after the scale and the noise estimate."""
    start = HEADER + (73 if data[7] == 7 else 0)
    windows = (data[i : i + 32] for i in range(start, min(len(data), start + 128)))
    return {w for w in windows if len(set(w)) > 20}


def key_part(data: bytes) -> bytes:
    """The bytes without the parameters at the front."""
    return data[int.from_bytes(data[24:32], "little") :]


OTHERS = [
    (CKKS, rj.params(7, [50] + [40] * 2, [50], allow_insecure=True)),
    (HEAAN, rj.heaan(7, 160, log_p=29, allow_insecure=True)),
]


@pytest.mark.parametrize("two", OTHERS, ids=["ckks", "heaan"])
def test_parameters_share_neither_secrets_nor_masks(two):
    a, b = (rj.Client(params, seed=bytes(range(32))) for params in two)
    # without the number of shared decryptions
    secrets = [key_part(c.to_secret_bytes())[HEADER:-12] for c in (a, b)]
    same = sum(x == y for x, y in zip(*secrets))
    assert len(secrets[0]) == len(secrets[1]) == 32 and same < 16, "two secrets of 128 coefficients"
    for make in (
        lambda c: key_part(c.public_key().to_bytes()),
        lambda c: key_part(c.evaluation_keys().to_bytes()),
        lambda c: c.encrypt([0.5]).to_bytes(),
    ):
        one, other = make(a), make(b)
        assert masks(one) and not masks(one) & masks(other)


@pytest.mark.parametrize("params", [CKKS, HEAAN], ids=["ckks", "heaan"])
def test_one_seed_and_other_values_share_no_masks(params):
    def first(values: list[float], slots: int = 64) -> bytes:
        return rj.Client(params, slots, seed=7).encrypt(values).to_bytes()

    sent = [first([0.5]), first([0.25]), first([0.5, 1e-9]), first([0.5], 32)]
    for one, other in combinations(sent, 2):
        assert masks(one) and not masks(one) & masks(other)
    assert first([0.5]) == sent[0], "the same call gives the same bytes"


class Recording:
    """A client that records the bytes that it sends."""

    def __init__(self, client: rj.Client) -> None:
        self._client, self.sent = client, []

    def encrypt(self, values: np.ndarray, **how: float) -> rj.Ciphertext:
        self.sent.append((ct := self._client.encrypt(values, **how)).to_bytes())
        return ct

    def __getattr__(self, name: str) -> object:
        return getattr(self._client, name)


LEVELED = rj.params(9, [50] + [40] * 12, [50] * 5, alpha=5, allow_insecure=True)


def fitted(**arguments) -> rj.LogisticRegression:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20, 3))
    return rj.LogisticRegression(LEVELED, iterations=2, degree=3, **arguments).fit(x, x[:, 0] > 0)


def test_two_fits_with_one_seed_share_no_masks(monkeypatch):
    from ringjet.ml.layout import TrainingPlan

    clients: list[Recording] = []
    original = TrainingPlan.client

    def client(self, params, seed=None):
        clients.append(Recording(original(self, params, seed)))
        return clients[-1]

    monkeypatch.setattr(TrainingPlan, "client", client)
    rng = np.random.default_rng(1)
    for _ in range(2):
        x = rng.normal(size=(20, 3))
        rj.LogisticRegression(LEVELED, iterations=2, degree=3, seed=3).fit(x, x[:, 0] > 0)
    one, other = ([masks(data) for data in c.sent] for c in clients)
    assert len(one) == len(other) > 0 and all(one) and all(other)
    assert not set().union(*one) & set().union(*other)
    assert clients[0].key_id == clients[1].key_id, "one seed and one parameter set have one key"


def test_pickles_of_estimators_hold_no_seed(insecure_pickles):
    seed = bytes(range(100, 132))
    model = fitted(seed=seed)
    data = pickle.dumps(model.set_params())
    assert seed not in data
    again = pickle.loads(data)
    assert again.seed is None and np.array_equal(again.coef_, model.coef_)
    assert again.get_params() == {**model.get_params(), "seed": None}
    assert copy.deepcopy(model).seed is None and model.seed == seed
    assert fitted(seed=5).__getstate__()["seed"] is None
