"""A compiled model over the nodes of a Ray cluster."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ringjet as rj

pytest.importorskip("sklearn")

from sklearn import datasets, ensemble, neural_network
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler


@pytest.fixture(scope="module")
def models():
    x, y = datasets.load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order], y[order]
    network = neural_network.MLPClassifier((6,), activation="tanh", max_iter=800, random_state=0)
    network = make_pipeline(MinMaxScaler(), network).fit(x[:120], y[:120])
    forest = ensemble.RandomForestClassifier(5, max_depth=3, random_state=0).fit(x[:120], y[:120])
    made = {
        "columns": (network, rj.ml.compile(network, x[:120])),
        "slots": (network, rj.ml.compile(network, x[:120], batch=1)),
        "trees": (forest, rj.ml.compile(forest, x[:120])),
    }
    return {name: (compiled, x[120:], model.predict(x[120:])) for name, (model, compiled) in made.items()}


@pytest.mark.parametrize("name", ["columns", "slots", "trees"])
def test_computations_of_copies_are_the_same(models, name, tmp_path):
    model, x, _ = models[name]
    model.save(tmp_path / "model")
    client = model.client()
    keys, data = client.keys(), client.encrypt(x)
    wanted = client.decrypt(model.server(keys).predict(data))
    server = rj.Server(keys)
    for computation in (pickle.loads(pickle.dumps(model.computation)), rj.ml.Computation.load(tmp_path / "model")):
        np.testing.assert_array_equal(client.decrypt(computation(server, data)), wanted)
    other = models["slots" if name == "columns" else "columns"][0].client()
    with pytest.raises(rj.errors.MalformedError, match="encrypted samples of another model"):
        model.computation(server, other.encrypt(x))


def test_a_cluster_maps_a_model_over_batches(models):
    pytest.importorskip("ray")
    model, x, wanted = models["slots"]
    client = model.client()
    parts = [client.encrypt(part) for part in np.array_split(x, 4)]
    with rj.cluster(client.keys(), address="local") as c:
        returned = c.map(model.computation, parts)
    found = np.concatenate([client.decrypt(data) for data in returned])
    assert np.mean(found == wanted) >= 0.95
