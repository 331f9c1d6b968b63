"""Fitted models of scikit-learn on encrypted samples, compared with scikit-learn."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import ringjet as rj

pytest.importorskip("sklearn")

from sklearn import cluster, datasets, linear_model, naive_bayes, neighbors, neural_network, svm
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

ROWS = 64


def data(name):
    """Samples and labels in a fixed order, digits with pixels from 0 to 1."""
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    return x[order] / (16 if name == "digits" else 1), y[order]


def fitted(model, name):
    """A model that is fitted to all but the last rows, the rows that it was fitted to, and the last ones."""
    x, y = data(name)
    return model.fit(x[:-ROWS], y[:-ROWS]), x[:-ROWS], x[-ROWS:]


def perceptron(kind, activation):
    return getattr(neural_network, kind)(
        hidden_layer_sizes=(16,), activation=activation, random_state=0, max_iter=2000, tol=1e-3
    )


CLASSIFIERS = [
    (make_pipeline(StandardScaler(), linear_model.LogisticRegression()), "breast_cancer"),
    (make_pipeline(StandardScaler(), PCA(10, whiten=True), linear_model.LogisticRegression()), "wine"),
    (make_pipeline(MinMaxScaler(), TruncatedSVD(8), svm.LinearSVC()), "wine"),
    (make_pipeline(RobustScaler(), linear_model.RidgeClassifier()), "breast_cancer"),
    (make_pipeline(MaxAbsScaler(), linear_model.SGDClassifier(random_state=0)), "digits"),
    (LinearDiscriminantAnalysis(), "wine"),
    (naive_bayes.GaussianNB(), "wine"),
    (make_pipeline(StandardScaler(), naive_bayes.GaussianNB()), "breast_cancer"),
    (neighbors.NearestCentroid(), "digits"),
    (neighbors.KNeighborsClassifier(5), "wine"),
    (cluster.KMeans(4, n_init=2, random_state=0), "digits"),
    (make_pipeline(StandardScaler(), svm.SVC(C=5.0)), "breast_cancer"),
    (make_pipeline(StandardScaler(), svm.SVC(kernel="poly", coef0=1.0)), "wine"),
    (make_pipeline(StandardScaler(), PCA(5), svm.NuSVC()), "wine"),
    (make_pipeline(MinMaxScaler(), svm.SVC(kernel="linear")), "wine"),
    (make_pipeline(StandardScaler(), perceptron("MLPClassifier", "relu")), "breast_cancer"),
    (perceptron("MLPClassifier", "tanh"), "digits"),
    (make_pipeline(StandardScaler(), perceptron("MLPClassifier", "identity")), "wine"),
]
REGRESSORS = [
    make_pipeline(StandardScaler(), linear_model.Ridge()),
    linear_model.LinearRegression(),
    make_pipeline(StandardScaler(with_mean=False), linear_model.Lasso(0.1)),
    make_pipeline(MinMaxScaler(), svm.LinearSVR(max_iter=5000)),
    make_pipeline(StandardScaler(), svm.SVR(C=20.0, epsilon=100.0)),
    make_pipeline(StandardScaler(), perceptron("MLPRegressor", "logistic")),
]


def named(model):
    return "-".join(type(step).__name__ for step in (model if isinstance(model, Pipeline) else [model]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "name"), CLASSIFIERS, ids=[named(model) for model, _ in CLASSIFIERS])
def test_classes_are_those_of_scikit_learn(model, name):
    model, known, rows = fitted(model, name)
    compiled = rj.ml.compile(model, known)
    wanted = model.predict(rows)
    assert np.array_equal(compiled.predict(rows, mode="clear"), wanted)
    assert np.mean(compiled.predict(rows) == wanted) >= 0.98  # one of 64 rows may differ
    trial = compiled.simulate(rows, wanted, seed=3)
    assert trial.agreement >= 0.98 and trial.agreement == trial.accuracy and not trial.warnings
    assert trial.outside == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", REGRESSORS, ids=map(named, REGRESSORS))
def test_values_are_those_of_scikit_learn(model):
    model, known, rows = fitted(model, "diabetes")
    compiled = rj.ml.compile(model, known)
    wanted = model.predict(rows)
    far = np.abs(compiled.predict(rows) - wanted) / np.ptp(model.predict(known))
    assert np.max(np.abs(compiled.predict(rows, mode="clear") - wanted)) < 1e-9 * np.ptp(wanted)
    assert np.quantile(far, 0.99) < 1e-3
    assert compiled.simulate(rows, wanted, seed=1).agreement >= 0.98


def test_neighbours_vote_for_values():
    model, known, rows = fitted(neighbors.KNeighborsRegressor(3), "diabetes")
    found = rj.ml.compile(model, known).predict(rows)
    # distances that are nearly equal can be taken for each other
    assert np.mean(np.abs(found - model.predict(rows)) < 1e-9) >= 0.95


def test_a_folder_holds_all_that_the_parties_need(tmp_path):
    model, known, rows = fitted(make_pipeline(StandardScaler(), linear_model.LogisticRegression()), "wine")
    rj.ml.compile(model, known).save(tmp_path / "wine")
    folder = tmp_path / "wine"
    assert sorted(path.name for path in folder.iterdir()) == ["client.json", "model.json", "weights.npz"]
    program = """
import sys, numpy as np, ringjet as rj
folder, rows = sys.argv[1], np.load(sys.argv[2])
client = rj.ml.Client.load(folder + "/client.json")
server = rj.ml.Server.load(folder, client.keys())
print(client.decrypt(server.predict(client.encrypt(rows))).tolist())
"""
    np.save(tmp_path / "rows.npy", rows)
    command = [sys.executable, "-c", program, str(folder), str(tmp_path / "rows.npy")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == model.predict(rows).tolist()


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), perceptron("MLPClassifier", "tanh")),
        make_pipeline(StandardScaler(), naive_bayes.GaussianNB()),
        neighbors.KNeighborsClassifier(3),
        make_pipeline(MinMaxScaler(), svm.SVC(kernel="linear")),
        linear_model.RidgeClassifier(),
    ],
    ids=["polynomial", "squares", "nearest", "pairs", "argmax"],
)
@pytest.mark.filterwarnings("ignore")
def test_files_keep_every_kind_of_model(model, tmp_path):
    x, y = data("wine")
    labels = np.array(["red", "white", "rose"])[y]
    model.fit(x[:-ROWS], labels[:-ROWS])
    rj.ml.compile(model, x[:-ROWS]).save(tmp_path)
    client = rj.ml.Client.load(tmp_path / "client.json")
    server = rj.ml.Server.load(tmp_path, client.keys())
    found = client.decrypt(server.predict(client.encrypt(x[-ROWS:])))
    assert np.mean(found == model.predict(x[-ROWS:])) >= 0.98


def test_damaged_files_are_refused(tmp_path):
    model, known, _ = fitted(linear_model.Ridge(), "diabetes")
    rj.ml.compile(model, known).save(tmp_path)
    client, described = tmp_path / "client.json", tmp_path / "model.json"
    whole, steps = client.read_text(), described.read_text()

    def refused(text, path, content, read):
        kept = path.read_bytes()
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(rj.MalformedError, match=text):
            read()
        path.write_bytes(kept)

    def load():
        return rj.ml.Client.load(client)

    def serve():
        return rj.ml.Server.load(tmp_path, b"")

    refused("format", client, "{}", load)
    refused("damaged: JSONDecodeError", client, "nothing", load)
    for old, new in [('"keys"', '"key"'), ('"value"', '"other"'), ('"neighbours": 1', '"neighbours": "x"')]:
        assert old in whole
        refused("damaged", client, whole.replace(old, new), load)
    refused("damaged: KeyError", described, steps.replace('"affine"', '"other"'), serve)
    weights = tmp_path / "weights.npz"
    refused("damaged", weights, weights.read_bytes()[:-40], serve)
    changed = json.loads(whole)
    changed["packing"]["centre"][0] += 1
    refused("client.json is not that of", client, json.dumps(changed), serve)
    changed = json.loads(whole)
    changed["keys"]["rotations"] = "x"
    refused("damaged", client, json.dumps(changed), load)
    refused("damaged", weights, b"", serve)


def test_bytes_of_other_models_are_refused():
    model, known, rows = fitted(linear_model.Ridge(), "diabetes")
    one, other = rj.ml.compile(model, known), rj.ml.compile(model, 2 * known)
    client = one.client()
    sent = client.encrypt(rows)
    with pytest.raises(rj.MalformedError, match="compiled again"):
        other.server(client.keys()).predict(sent)
    with pytest.raises(rj.MalformedError, match="no encrypted scores"):
        client.decrypt(sent)
    with pytest.raises(rj.MalformedError, match="no encrypted samples"):
        one.server(client.keys()).predict(b"nothing")


def test_every_output_is_precise_or_refused():
    x = np.random.default_rng(0).normal(size=(400, 4))
    both = linear_model.LinearRegression().fit(x, np.stack([x[:, 0], 1e-6 * x[:, 1]], 1))
    compiled = rj.ml.compile(both, x)
    far = np.abs(compiled.predict(x) - both.predict(x)) / np.ptp(both.predict(x), axis=0)
    assert np.quantile(far, 0.99, axis=0).max() < 1e-3
    small = linear_model.LinearRegression().fit(x, 1e-9 * x[:, :1])
    assert rj.ml.compile(small, x).simulate(x, 1e-9 * x[:, :1]).accuracy > 0.999
    # classes that differ by far less than scores do
    y = np.where(x[:, 2] > 1, 2, (x[:, 0] > 0) * 1)
    wide = x.copy()
    wide[:, 2] = np.where(y == 2, np.random.default_rng(1).exponential(1e4, 400), 1e-2 * x[:, 2])
    model = naive_bayes.GaussianNB().fit(wide, y)
    try:
        trial = rj.ml.compile(model, wide).simulate(wide)
    except rj.ArgumentError as error:
        assert "agreement" in str(error)
    else:
        assert trial.agreement >= 0.98
    # a difference of nearly equal features
    near = x.copy()
    near[:, 1] = near[:, 0] + 1e-4 * near[:, 1]
    model = linear_model.LinearRegression().fit(near, 1e4 * (near[:, 0] - near[:, 1]))
    with pytest.raises(rj.ArgumentError, match="params = 'n13-depth2': expected an agreement of 0.99"):
        rj.ml.compile(model, near, params="n13-depth2")
    with pytest.raises(rj.ArgumentError, match="y = an array of shape"):
        compiled.simulate(x, x[:, :3])


def test_a_common_offset_costs_no_precision():
    x = np.random.default_rng(0).normal(size=(400, 4)) + 1e4
    for model in (cluster.KMeans(4, n_init=2, random_state=0), neighbors.NearestCentroid()):
        model.fit(x, (x[:, 0] > 1e4) * 1)
        assert np.mean(rj.ml.compile(model, x).predict(x) == model.predict(x)) >= 0.99


@pytest.mark.filterwarnings("ignore")
def test_clients_warn_of_scores_that_no_sample_has():
    model, known, rows = fitted(make_pipeline(StandardScaler(), svm.SVC()), "wine")
    compiled = rj.ml.compile(model, known)
    low, high = known.min(axis=0), known.max(axis=0)
    corners = np.where(
        np.random.default_rng(5).random(rows.shape) < 0.5, 1.4 * low - 0.4 * high, 1.4 * high - 0.4 * low
    )
    with pytest.warns(rj.ml.PredictionWarning, match="far outside the range of calibration"):
        compiled.predict(corners)


def test_bad_models_and_samples_are_refused():
    x, y = data("wine")
    model = linear_model.RidgeClassifier().fit(x, y)

    def refused(text, *arguments, **options):
        with pytest.raises(rj.ArgumentError, match=text):
            rj.ml.compile(*arguments, **options)

    refused(
        "MultinomialNB: expected a model of these: .*DecisionTreeClassifier", naive_bayes.MultinomialNB().fit(x, y), x
    )
    refused("PolynomialFeatures: expected a transformer", make_pipeline(_features(), model).fit(x, y), x)
    refused("a fitted model .*no attribute 'coef_'", linear_model.Ridge(), x)
    refused("clip=False", make_pipeline(MinMaxScaler(clip=True), model).fit(x, y), x)
    refused("kernel linear, poly, rbf or sigmoid", svm.SVC(kernel=lambda a, b: a @ b.T).fit(x, y), x)
    refused("break_ties=False", svm.SVC(break_ties=True, decision_function_shape="ovr").fit(x, y), x)
    refused("Euclidean", neighbors.KNeighborsClassifier(metric="manhattan").fit(x, y), x)
    refused(r"calibration = .*samples, 13", model, x[:, :5])
    refused(r"calibration = .*two different samples", model, x[[0, 0]])
    refused("margin = 0.5", model, x, margin=0.5)
    broken = linear_model.RidgeClassifier().fit(x, y)
    broken.coef_[0, 0] = np.nan
    refused("finite weights", broken, x)

    class Ridge(linear_model.Ridge):
        def predict(self, x):
            return super().predict(x) + 1

    refused("Ridge: expected a model whose predictions follow from its attributes", Ridge().fit(x, y), x)
    refused(r"MaxAbsScaler\(clip=True\)", make_pipeline(_clipping(), model).fit(x, y), x)
    refused("metric='manhattan'", neighbors.NearestCentroid(metric="manhattan").fit(x, y), x)
    refused("predictions of shape", linear_model.RidgeClassifier().fit(x, np.stack([y > 0, y > 1], 1)), x)
    refused("real numbers", model, x.astype(complex))
    refused("real numbers", model, [["a"] * 13] * 3)
    refused("agreement = 2", model, x, agreement=2)
    refused("parameters of CKKS", model, x, params=5)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(x, columns=[f"c{k}" for k in range(13)])
    ridge = linear_model.RidgeClassifier().fit(frame, y)
    named = rj.ml.compile(ridge, frame)
    assert np.mean(named.predict(frame) == ridge.predict(frame)) >= 0.98
    with pytest.raises(rj.ArgumentError, match="a frame with the columns"):
        named.predict(frame[frame.columns[::-1]])
    compiled = rj.ml.compile(model, x)
    far = x[:3].copy()
    far[2, 4] *= 10
    with pytest.raises(rj.ArgumentError, match=r"X\[2, 4\] = .*the accepted range by calibration"):
        compiled.predict(far)
    with pytest.raises(rj.ArgumentError, match=r"expected shape \(samples, 13\)"):
        compiled.predict(x[0])
    with pytest.raises(rj.ArgumentError, match="mode = "):
        compiled.predict(x, mode="plain")


def _clipping():
    scaler = MaxAbsScaler()
    scaler.clip = True
    return scaler


def _features():
    from sklearn.preprocessing import PolynomialFeatures

    return PolynomialFeatures(2)


def test_activations_outside_their_interval_are_counted():
    model, known, rows = fitted(make_pipeline(StandardScaler(), perceptron("MLPClassifier", "tanh")), "breast_cancer")
    middle = known.mean(axis=0)
    near = rj.ml.compile(model, middle + 0.2 * (known - middle), margin=1)
    trial = near.simulate(middle + 0.5 * (known - middle))
    assert 0 < trial.outside < 1
    assert rj.ml.compile(model, known).simulate(rows).outside < trial.outside


def test_more_samples_than_slots():
    model, known, rows = fitted(linear_model.Ridge(), "diabetes")
    compiled = rj.ml.compile(model, known)
    many = np.resize(rows, (compiled.params.slots + 5, rows.shape[1]))
    assert np.allclose(compiled.predict(many), model.predict(many), atol=1e-3 * np.ptp(model.predict(known)))
    assert "affine" in str(compiled) and "10 -> 1" in str(compiled) and compiled.choice is not None


def test_models_that_mean_something_else_are_others(tmp_path):
    x, y = data("wine")
    model = neighbors.KNeighborsClassifier(3).fit(x, y)
    one = rj.ml.compile(model, x)
    others = [neighbors.KNeighborsClassifier(5).fit(x, y), neighbors.KNeighborsClassifier(3).fit(x, (y + 1) % 3)]
    client = one.client()
    for other in others:
        with pytest.raises(rj.MalformedError, match="compiled again"):
            rj.ml.compile(other, x).server(client.keys()).predict(client.encrypt(x[:3]))
    one.save(tmp_path)
    path = tmp_path / "client.json"
    found = json.loads(path.read_text())
    found["head"]["classes"] = found["head"]["classes"][::-1]
    path.write_text(json.dumps(found))
    with pytest.raises(rj.MalformedError, match="client.json is not that of"):
        rj.ml.Server.load(tmp_path, client.keys())


def test_a_file_cannot_allow_weak_parameters(tmp_path):
    x, y = data("wine")
    weak = rj.params(10, [50, 40], [50], allow_insecure=True)
    rj.ml.compile(linear_model.RidgeClassifier().fit(x, y), x, params=weak).save(tmp_path)
    with pytest.raises(rj.InsecureParametersError):
        rj.ml.Client.load(tmp_path / "client.json")
    client = rj.ml.Client.load(tmp_path / "client.json", allow_insecure=True)
    with pytest.raises(rj.InsecureParametersError):
        rj.ml.Server.load(tmp_path, client.keys())
    server = rj.ml.Server.load(tmp_path, client.keys(), allow_insecure=True)
    assert len(client.decrypt(server.predict(client.encrypt(x[:3])))) == 3


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"memory": "4GB"}, "memory"),
        ({"memory": 0}, "memory"),
        ({"margin": np.inf}, "margin"),
        ({"batch": 1.5}, "batch"),
    ],
)
def test_options_of_the_wrong_kind_are_refused(options, text):
    x, y = data("wine")
    with pytest.raises(rj.ArgumentError, match=text):
        rj.ml.compile(linear_model.RidgeClassifier().fit(x, y), x, **options)


def test_frames_with_other_columns_than_calibration_are_refused():
    pandas = pytest.importorskip("pandas")
    x, y = data("wine")
    frame = pandas.DataFrame(x, columns=[f"c{k}" for k in range(13)])
    compiled = rj.ml.compile(linear_model.RidgeClassifier().fit(x, y), frame)
    with pytest.raises(rj.ArgumentError, match="a frame with the columns"):
        compiled.predict(frame[frame.columns[::-1]])
    with pytest.raises(rj.ArgumentError, match="masked"):
        compiled.predict(np.ma.masked_greater(x, 1000))
