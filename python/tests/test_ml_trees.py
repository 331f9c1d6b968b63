"""Trees and ensembles of trees on encrypted samples, compared with the packages that they come from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet.ml.models import _ensemble as tree_ensemble
from ringjet.ml.models import _leaf_polynomial as leaf_polynomial
from ringjet.ml.models import _tree_circuit as tree_circuit
from ringjet.ml.models import _tree_packing as tree_packing
from ringjet.ml.models import _tree_readers as tree_readers
from ringjet.ml.models import _trees as trees

pytest.importorskip("sklearn")

from sklearn import datasets, ensemble, tree
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

ROWS = 64
DUMPS = Path(__file__).parent / "data" / "trees"
#: A small ring with room for trees of up to four features a leaf.
SMALL = rj.params(11, [50] + [38] * 5, [50, 50], allow_insecure=True)


def data(name):
    """Samples and labels in a fixed order."""
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    return x[order], y[order]


def fitted(model, name):
    """A model that is fitted to all but the last rows, the rows that it was fitted to, and the last ones."""
    x, y = data(name)
    return model.fit(x[:-ROWS], y[:-ROWS]), x[:-ROWS], x[-ROWS:]


def seeded(kind, **options):
    return getattr(tree if "Tree" in kind and "Trees" not in kind else ensemble, kind)(random_state=0, **options)


CLASSIFIERS = [
    (seeded("DecisionTreeClassifier"), "iris"),
    (seeded("ExtraTreeClassifier", max_depth=6), "wine"),
    (seeded("RandomForestClassifier", n_estimators=10), "wine"),
    (seeded("ExtraTreesClassifier", n_estimators=6, max_depth=5), "breast_cancer"),
    (seeded("GradientBoostingClassifier", n_estimators=20), "breast_cancer"),
    (seeded("GradientBoostingClassifier", n_estimators=5, loss="exponential", init="zero"), "breast_cancer"),
    (seeded("HistGradientBoostingClassifier", max_iter=10, max_leaf_nodes=8), "wine"),
    (seeded("AdaBoostClassifier", n_estimators=10), "iris"),
    (make_pipeline(StandardScaler(), seeded("AdaBoostClassifier", n_estimators=10)), "breast_cancer"),
]
REGRESSORS = [
    seeded("DecisionTreeRegressor", max_depth=6),
    seeded("RandomForestRegressor", n_estimators=5, max_depth=6),
    seeded("ExtraTreesRegressor", n_estimators=5, max_depth=5),
    seeded("GradientBoostingRegressor", n_estimators=20),
    make_pipeline(MinMaxScaler(), seeded("HistGradientBoostingRegressor", max_iter=10, max_leaf_nodes=8)),
]


def named(model):
    return type(getattr(model, "steps", [("", model)])[-1][1]).__name__


@pytest.mark.parametrize(("model", "name"), CLASSIFIERS, ids=[f"{named(m)}-{name}" for m, name in CLASSIFIERS])
def test_classes_are_those_of_scikit_learn(model, name):
    model, known, rows = fitted(model, name)
    compiled = rj.ml.compile(model, known)
    wanted = model.predict(rows)
    assert np.array_equal(compiled.predict(rows, mode="clear"), wanted)
    assert np.array_equal(compiled.predict(rows), wanted)
    trial = compiled.simulate(rows, wanted, seed=3)
    assert trial.agreement == trial.accuracy == 1 and trial.outside == 0 and not trial.warnings


@pytest.mark.parametrize("model", REGRESSORS, ids=map(named, REGRESSORS))
def test_values_are_those_of_scikit_learn(model):
    model, known, rows = fitted(model, "diabetes")
    compiled = rj.ml.compile(model, known)
    wanted = model.predict(rows)
    assert np.max(np.abs(compiled.predict(rows, mode="clear") / wanted - 1)) < 1e-12
    assert np.max(np.abs(compiled.predict(rows) / wanted - 1)) < 1e-4
    assert compiled.simulate(rows, wanted, seed=1).agreement == 1


def test_small_values_beside_large_ones_are_as_exact():
    x, y = data("diabetes")
    several = np.stack([1e6 * y, y, np.zeros(len(y))], axis=1)
    model = seeded("DecisionTreeRegressor", max_depth=5).fit(x[:-ROWS], several[:-ROWS])
    compiled, wanted = rj.ml.compile(model, x[:-ROWS]), model.predict(x[-ROWS:])
    found = compiled.predict(x[-ROWS:])
    assert np.max(np.abs(found[:, :2] / wanted[:, :2] - 1)) < 1e-4
    assert np.max(np.abs(found[:, 2])) < 1e-4


@pytest.mark.parametrize("path", sorted(DUMPS.glob("*.json")), ids=lambda path: path.stem)
def test_models_of_other_packages_are_read_from_their_json(path, tmp_path):
    found = json.loads(path.read_text())
    x, scores = data(found["data"])[0], np.array(found["scores"])
    source = tmp_path / "model.json"
    source.write_text(json.dumps(found["model"]))
    compiled = rj.ml.compile(source if "xgboost" in path.stem else found["model"], x[:-ROWS])
    # XGBoost adds numbers of 32 bits, and ties are broken by scores of classes that differ a little
    assert np.max(np.abs(compiled._clear(x[-ROWS:]) - scores)) < 1e-5 * np.abs(scores).max() + 2.0**-12
    returned = compiled.predict(x[-ROWS:])
    if "values" in path.stem:
        assert np.max(np.abs(returned / scores[:, 0] - 1)) < 1e-4
    else:
        assert np.array_equal(returned, scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1))


@pytest.mark.parametrize("package", ["xgboost", "lightgbm"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("breast_cancer", {}),
        ("wine", {"booster": "dart", "rate_drop": 0.3, "boosting_type": "dart"}),
        ("wine", {"num_parallel_tree": 3, "boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}),
        ("diabetes", {"objective": "l1"}),
    ],
    ids=["binary", "dart", "forest", "values"],
)
def test_models_of_other_packages_are_read(package, name, options):
    module = pytest.importorskip(package)
    mine = {k: v for k, v in options.items() if k in ("objective", *(_OPTIONS[package]))}
    if mine.get("objective") == "l1":
        mine["objective"] = "reg:absoluteerror" if package == "xgboost" else "l1"
    mine |= {"verbose": -1} if package == "lightgbm" else {}
    kind = ("XGB" if package == "xgboost" else "LGBM") + ("Regressor" if name == "diabetes" else "Classifier")
    x, y = data(name)
    model = getattr(module, kind)(n_estimators=8, max_depth=4, **mine).fit(x[:-ROWS], y[:-ROWS])
    wanted = model.predict(x[-ROWS:])
    for source in (model, model.get_booster() if package == "xgboost" else model.booster_):
        found = rj.ml.compile(source, x[:-ROWS]).predict(x[-ROWS:], mode="clear")
        assert np.array_equal(found, wanted) if name != "diabetes" else np.allclose(found, wanted, rtol=1e-6)


def test_stopped_and_ranking_models_are_read():
    xgboost = pytest.importorskip("xgboost")
    x, y = data("breast_cancer")
    model = xgboost.XGBClassifier(n_estimators=50, early_stopping_rounds=2, max_depth=2)
    model.fit(x[:300], y[:300], eval_set=[(x[300:], y[300:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    assert np.array_equal(rj.ml.compile(model, x).predict(x, mode="clear"), model.predict(x))
    ranker = xgboost.XGBRanker(n_estimators=5, max_depth=2).fit(x, y, qid=np.arange(len(x)) // 20)
    assert np.allclose(rj.ml.compile(ranker, x).predict(x, mode="clear"), ranker.predict(x), atol=1e-6)
    with pytest.raises(rj.ArgumentError, match="missing=nan"):
        rj.ml.compile(xgboost.XGBClassifier(missing=0.0, n_estimators=2).fit(x, y), x)


_OPTIONS = {
    "xgboost": ("booster", "rate_drop", "num_parallel_tree"),
    "lightgbm": ("boosting_type", "bagging_freq", "bagging_fraction"),
}


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler((-1, 3)), MaxAbsScaler(), RobustScaler()])
@pytest.mark.parametrize("kind", ["GradientBoostingRegressor", "HistGradientBoostingRegressor"])
def test_scalers_are_folded_into_thresholds_exactly(scaler, kind):
    options = {"n_estimators": 5} if kind == "GradientBoostingRegressor" else {"max_iter": 5}
    model, known, _ = fitted(make_pipeline(scaler, seeded(kind, **options)), "diabetes")
    compiled = rj.ml.compile(model, known)
    sent = compiled._interface.packing.sent
    rows = np.repeat(known[:1], 4 * len(sent.feature), axis=0)
    steps = np.tile([-1, 0, 1, 2], len(sent.feature))
    number = np.repeat(np.arange(len(sent.feature)), 4)
    values = sent.threshold[number]
    for _ in range(2):
        values = np.where(
            steps > 0, np.nextafter(values, np.inf), np.where(steps < 0, np.nextafter(values, -np.inf), values)
        )
        steps = np.sign(steps) * (np.abs(steps) - 1)
    rows[np.arange(len(rows)), sent.feature[number]] = values
    found, wanted = compiled.predict(rows, mode="clear"), model.predict(rows)
    assert np.max(np.abs(found / wanted - 1)) < 1e-12
    # the threshold is the last number on its side
    before, at, after, behind = wanted.reshape(-1, 4).T
    assert np.array_equal(before, at) and np.array_equal(after, behind)
    assert np.sum(at != after) > 5


def test_of_equal_votes_the_first_class_wins():
    x = np.arange(40.0)[:, None]
    model = ensemble.RandomForestClassifier(2, bootstrap=False, max_depth=1, random_state=0).fit(
        x, np.repeat([0, 1], 20)
    )
    one, two = (tree.DecisionTreeClassifier(max_depth=1).fit(x, x[:, 0] > end) for end in (9, 29))
    for fitted_tree, part in zip((one, two), model.estimators_, strict=True):
        part.tree_ = fitted_tree.tree_
    compiled = rj.ml.compile(model, x)
    assert np.array_equal(model.predict(x), np.repeat([0, 1], [30, 10]))
    assert np.array_equal(compiled.predict(x), model.predict(x))


@pytest.mark.parametrize("degree", range(1, 18))
def test_leaves_are_told_from_others(degree):
    params = rj.params(12, [50] + [40] * 6, [50], allow_insecure=True)
    sums = -np.resize(np.arange(degree + 1.0), params.slots)
    x = (sums + leaf_polynomial.middle(degree)) / leaf_polynomial.scale(degree)
    low, high = leaf_polynomial.interval(degree)
    assert low <= x.min() and x.max() <= high
    trial = rj.simulate(
        lambda y: leaf_polynomial.encrypted(y, degree),
        x,
        params=params,
        magnitudes=[(low, high)],
        noise=True,
        seed=degree,
    )
    assert params.depth - trial.outputs[0].level == leaf_polynomial.levels(degree) and not trial.warnings
    assert np.max(np.abs(trial.values - (sums == 0))) < 1e-6
    between = -np.linspace(0, degree, 50)
    assert np.all(np.abs(leaf_polynomial.values(between, degree)) < 1 + 1e-9)


def test_more_leaves_than_slots():
    model, known, rows = fitted(seeded("GradientBoostingClassifier", n_estimators=120), "wine")
    compiled = rj.ml.compile(model, known, params=SMALL)
    assert len(compiled._circuit.leaves.offset) > 2 * SMALL.slots > 2 * len(compiled._interface.packing.sent.feature)
    found = compiled.client(seed=1)
    returned = found.decrypt(compiled.server(found.keys()).predict(found.encrypt(rows[:5])))
    assert np.array_equal(returned, model.predict(rows[:5]))


def test_hidden_thresholds_are_compared_by_the_server(tmp_path):
    model, known, rows = fitted(seeded("RandomForestClassifier", n_estimators=3, max_depth=2), "iris")
    compiled = rj.ml.compile(model, known, hide_thresholds=True)
    trial = compiled.simulate(rows, model.predict(rows), seed=2)
    assert trial.agreement >= 0.98
    assert 0 < trial.outside < 1
    (warning,) = trial.warnings
    assert warning.startswith(f"{100 * trial.outside:.3g} % of samples have a feature inside the gap")
    compiled.save(tmp_path)
    client = rj.ml.Client.load(tmp_path / "client.json", seed=4)
    returned = client.decrypt(rj.ml.Server.load(tmp_path, client.keys()).predict(client.encrypt(rows)))
    assert np.array_equal(returned, compiled.predict(rows, mode="simulate"))
    # beyond the outermost thresholds nothing is compared
    far = np.where(np.random.default_rng(0).random(rows.shape) < 0.5, -1e6, 1e6)
    assert np.array_equal(compiled.predict(far, mode="simulate"), model.predict(far))
    # the client's file has no threshold of the trees, and the other file of a model has all of them
    thresholds = np.concatenate([t.tree_.threshold[t.tree_.feature >= 0] for t in model.estimators_])
    assert not np.any(np.isin(thresholds, _numbers(tmp_path / "client.json")))
    rj.ml.compile(model, known).save(tmp_path / "open")
    numbers = _numbers(tmp_path / "open" / "client.json")
    # they are rounded as features are, to 32 bits
    assert np.max([np.min(np.abs(numbers / threshold - 1)) for threshold in thresholds]) < 2.0**-23
    values = np.concatenate([t.tree_.value[t.tree_.feature < 0].ravel() for t in model.estimators_])
    values = values[(values > 0) & (values < 1)]
    assert len(values) and not np.any(np.isin(values, numbers))


def _numbers(path):
    """All numbers of a file of JSON."""
    found, stack = [], [json.loads(path.read_text())]
    while stack:
        value = stack.pop()
        if isinstance(value, (dict, list)):
            stack += value.values() if isinstance(value, dict) else value
        elif isinstance(value, (int, float)):
            found.append(float(value))
    return np.array(found)


def test_files_keep_trees(tmp_path):
    model, known, rows = fitted(seeded("RandomForestClassifier", n_estimators=5, max_depth=4), "wine")
    rj.ml.compile(model, known).save(tmp_path)
    client = rj.ml.Client.load(tmp_path / "client.json")
    server = rj.ml.Server.load(tmp_path, client.keys())
    sent = client.encrypt(rows)
    returned = server.predict(sent)
    assert np.array_equal(client.decrypt(returned), model.predict(rows))
    start = len(b"RJscores\0") + 16
    for wrong in (
        returned[:start],
        returned[: start + 4],
        returned[:start] + (99999).to_bytes(8, "little") + returned[start + 8 :],
    ):
        with pytest.raises(rj.MalformedError):
            client.decrypt(wrong)
    whole = (tmp_path / "client.json").read_text()
    for old, new in [('"conditions"', '"others"'), ('"region": ', '"region": 3'), ('"feature": [', '"feature": [99,')]:
        assert old in whole
        (tmp_path / "client.json").write_text(whole.replace(old, new))
        with pytest.raises(rj.MalformedError, match="damaged"):
            rj.ml.Client.load(tmp_path / "client.json")
    (tmp_path / "client.json").write_text(whole)
    weights = dict(np.load(tmp_path / "weights.npz"))
    for name, wrong in [("condition", 10**6), ("leaf", 5), ("tree", -1)]:
        np.savez(tmp_path / "weights.npz", **weights | {name: np.full_like(weights[name], wrong)})
        with pytest.raises(rj.MalformedError):
            rj.ml.Server.load(tmp_path, client.keys())


def test_samples_are_any_finite_numbers():
    model, known, rows = fitted(seeded("DecisionTreeClassifier", max_depth=3), "iris")
    compiled = rj.ml.compile(model, known)
    extreme = np.array([[1e30, -1e30, 1e30, 0], [-1e30, 0, -1e30, 1e30]])
    assert np.array_equal(compiled.predict(extreme), model.predict(extreme))
    rows = rows.copy()
    rows[3, 2] = np.nan
    with pytest.raises(rj.ArgumentError, match="finite numbers"):
        compiled.predict(rows)


def test_what_is_not_read_is_refused():
    x, y = data("wine")
    model = seeded("RandomForestClassifier", n_estimators=2, max_depth=2)

    def refused(text, source, target=y, **options):
        with pytest.raises(rj.ArgumentError, match=text):
            rj.ml.compile(source.fit(x, target) if hasattr(source, "fit") else source, x, **options)

    refused("PCA: expected before trees a transformer of each feature on its own", make_pipeline(PCA(3), model))
    refused(r"clip=False", make_pipeline(MinMaxScaler(clip=True), model))
    hist = seeded("HistGradientBoostingRegressor", max_iter=2, loss="poisson")
    refused("loss='poisson'.*sum of the trees", hist)
    rounded = x.round() % 8
    hist = seeded("HistGradientBoostingClassifier", max_iter=2, categorical_features=[0]).fit(rounded, y)
    with pytest.raises(rj.ArgumentError, match="categorical features"):
        rj.ml.compile(hist, rounded)
    refused(
        "AdaBoostClassifier over GaussianNB",
        ensemble.AdaBoostClassifier(GaussianNB(), n_estimators=2),
    )
    refused("init=", ensemble.GradientBoostingRegressor(init=tree.DecisionTreeRegressor(), n_estimators=2))
    refused("labels a sample", model, np.stack([y, y], axis=1))
    refused("AdaBoostRegressor: expected a model of these", ensemble.AdaBoostRegressor(n_estimators=2))
    refused("depends on a feature", seeded("DecisionTreeRegressor"), np.ones(len(y)))
    with pytest.raises(rj.ArgumentError, match="a fitted model"):
        rj.ml.compile(tree.DecisionTreeClassifier(), x)
    refused("hide_thresholds = True: expected trees", LinearDiscriminantAnalysis(), hide_thresholds=True)
    refused("file that can be read", "nothing.json")
    refused("JSON of an unknown kind", {"a": 1})
    with pytest.raises(rj.ArgumentError, match="two or more different rows of 13"):
        rj.ml.compile(model.fit(x, y), x[:, :4])

    class Changed(tree.DecisionTreeClassifier):
        def predict(self, x):
            return 1 - super().predict(x)

    Changed.__name__ = "DecisionTreeClassifier"
    refused("a model whose predictions follow from its attributes", Changed(max_depth=2))


@pytest.mark.parametrize(
    ("file", "change", "text"),
    [
        ("xgboost_binary", lambda m: m["learner"]["objective"].update(name="count:poisson"), "count:poisson"),
        ("xgboost_binary", lambda m: m["learner"]["gradient_booster"].update(name="gblinear"), "gblinear"),
        ("xgboost_values", lambda m: m["learner"]["learner_model_param"].update(num_target="2"), "2 targets"),
        (
            "xgboost_values",
            lambda m: m["learner"]["gradient_booster"]["model"]["trees"][0]["split_type"].__setitem__(0, 1),
            "categorical",
        ),
        ("xgboost_values", lambda m: m["learner"].pop("objective"), "KeyError"),
        ("lightgbm_values", lambda m: m.update(objective="poisson"), "objective='poisson'"),
        ("lightgbm_values", lambda m: m.update(objective="regression sqrt"), "regression sqrt"),
        ("lightgbm_binary", lambda m: m["tree_info"][0]["tree_structure"].update(decision_type="=="), "categorical"),
        (
            "lightgbm_binary",
            lambda m: m["tree_info"][0]["tree_structure"].update(missing_type="Zero"),
            "zero_as_missing",
        ),
        ("lightgbm_binary", lambda m: m["tree_info"][0]["tree_structure"].update(split_feature=30), "30 features"),
    ],
)
def test_json_that_is_not_read_is_refused(file, change, text):
    found = json.loads((DUMPS / f"{file}.json").read_text())
    change(found["model"])
    with pytest.raises(rj.ArgumentError, match=text):
        rj.ml.compile(found["model"], data(found["data"])[0])


def test_ranks_are_compared_exactly():
    model, known, rows = fitted(seeded("RandomForestClassifier", n_estimators=5, max_depth=4), "wine")
    made = trees.ensemble(*tree_readers.read(model))
    _, circuit = tree_ensemble._circuits(made, known, False)
    assert circuit.sent.name == "ranks" and circuit.outside(circuit.sent.normal(rows)) == 0
    # on thresholds, and right after them
    at = rows[np.arange(len(made.feature)) % len(rows)].copy()
    after, k = at.copy(), np.arange(len(at))
    at[k, made.feature], after[k, made.feature] = made.threshold, np.nextafter(made.threshold, np.inf)
    several = np.concatenate([rows, at, after])
    normal = circuit.sent.normal(several)
    assert np.max(np.abs(circuit(normal) * made.bound + made.base - made(several))) < 1e-4
    assert not np.array_equal(made(at), made(after))
    params = rj.params(11, [50] + [42] * 18, [50, 50, 50], allow_insecure=True)
    client = rj.Client(params, seed=5)
    packing = circuit.packing(params, np.zeros(0), np.zeros(0))
    server = rj.Server(client.evaluation_keys(**circuit.plan(params).keys).to_bytes(), allow_insecure=True)
    returned = packing.decrypt(client, circuit.run(server, packing.encrypt(client, normal)))
    assert np.max(np.abs(returned * made.bound + made.base - made(several))) < 1e-3
    kept = tree_circuit.restored(*circuit.stored())
    assert np.array_equal(kept(normal), circuit(normal))
    assert np.array_equal(tree_packing.restored(json.loads(json.dumps(packing.stored()))).normal(several), normal)


def test_models_that_are_too_large_are_refused():
    model, known, _ = fitted(seeded("RandomForestClassifier", n_estimators=5, max_depth=4), "wine")
    with pytest.raises(rj.ArgumentError, match="of memory, and there are"):
        rj.ml.compile(model, known, memory=1 << 20)
    x = np.random.default_rng(0).normal(size=(3000, 4))
    made = trees.ensemble(*tree_readers.read(seeded("RandomForestRegressor", n_estimators=6).fit(x, x[:, 0] * x[:, 1])))
    circuit, _ = tree_ensemble._circuits(made, x, False)
    with pytest.raises(rj.ArgumentError, match="GiB"):
        circuit.plan(rj.preset("n15-depth9"))
    with pytest.raises(rj.ArgumentError, match="8192 slots"):
        circuit.plan(rj.preset("n14-depth6"))


def test_equal_votes_stay_equal_on_ciphertexts():
    rng = np.random.default_rng(0)

    def drawn(count):
        x = np.round(rng.normal(size=(count, 4)), 1)
        return x, (x[:, 0] + x[:, 1] + 0.8 * rng.normal(size=count) > 0).astype(int)

    x, y = drawn(400)
    model = ensemble.RandomForestClassifier(6, bootstrap=False, random_state=0, max_features=1).fit(x, y)
    compiled = rj.ml.compile(model, x)
    fresh = drawn(600)[0]
    votes = model.predict_proba(fresh)
    tied = fresh[np.abs(votes[:, 0] - votes[:, 1]) < 1e-12]
    assert len(tied) >= 10
    assert np.array_equal(compiled.predict(tied), model.predict(tied))
    assert np.array_equal(compiled.predict(fresh, mode="clear"), model.predict(fresh))


def test_of_many_classes_the_first_equal_one_wins():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 5))
    y = rng.integers(0, 30, len(x))
    model = ensemble.RandomForestClassifier(10, max_depth=3, random_state=0).fit(x, y)
    compiled = rj.ml.compile(model, x)
    assert np.mean(compiled.predict(x, mode="clear") == model.predict(x)) > 0.99
