"""Damaged files of trees, the rounds and the names of features that files keep, and trees that know missing values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

pytest.importorskip("sklearn")

from sklearn import datasets, ensemble, tree

DUMPS = Path(__file__).parent / "data" / "trees"
DATA = {name: getattr(datasets, f"load_{name}") for name in ("iris", "wine", "breast_cancer", "diabetes")}


def dumped(file):
    """A stored model, and the samples that it was fitted to."""
    found = json.loads((DUMPS / f"{file}.json").read_text())
    return found["model"], DATA[found["data"]](return_X_y=True)[0]


def first_tree(model):
    return model["learner"]["gradient_booster"]["model"]["trees"][0]


def first_leaf(model):
    node = model["tree_info"][0]["tree_structure"]
    while "left_child" in node:
        node = node["left_child"]
    return node


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda t: t["left_children"].__setitem__(0, 0), "no nodes below the root"),
        (lambda t: t["left_children"].__setitem__(0, 999), "no nodes below the root"),
        (lambda t: t["left_children"].__setitem__(0, -5), "no nodes below the root"),
        (lambda t: t["left_children"].__setitem__(0, -1), "no nodes below the root"),
        (lambda t: t["left_children"].__setitem__(0, t["right_children"][0]), "a node below two others"),
        (lambda t: t["left_children"].__setitem__(0, 1.5), "not whole"),
        (lambda t: t["split_conditions"].pop(), "arrays of"),
        (lambda t: t["right_children"].pop(), "arrays of"),
        (lambda t: t["split_conditions"].__setitem__(t["left_children"].index(-1), np.nan), "not finite"),
        (lambda t: t["split_conditions"].__setitem__(t["left_children"].index(-1), 1e39), "not finite"),
    ],
)
def test_damaged_trees_are_refused(change, text):
    model, x = dumped("xgboost_binary")
    rj.ml.compile(model, x)
    change(first_tree(model))
    with pytest.raises(rj.MalformedError, match=text):
        rj.ml.compile(model, x)


@pytest.mark.parametrize(
    ("file", "change", "text"),
    [
        ("xgboost_binary", lambda m: m["learner"]["gradient_booster"]["model"].update(trees=[], tree_info=[]), "trees"),
        ("xgboost_binary", lambda m: m["learner"]["learner_model_param"].update(base_score="1.0"), "start of scores"),
        ("xgboost_binary", lambda m: m["learner"]["attributes"].update(best_iteration="-2"), "best_iteration = -2"),
        (
            "xgboost_binary",
            lambda m: m["learner"]["gradient_booster"]["model"]["tree_info"].__setitem__(0, -1),
            "score -1 of 1",
        ),
        ("lightgbm_binary", lambda m: m.update(tree_info=[]), "without trees"),
        ("lightgbm_binary", lambda m: m.update(tree_info=[], average_output=True), "without trees"),
        ("lightgbm_binary", lambda m: first_leaf(m).update(leaf_value=np.inf), "not finite"),
        ("lightgbm_binary", lambda m: m["tree_info"][0]["tree_structure"].update(threshold="1||2"), "no numbers"),
    ],
)
def test_damaged_files_are_refused(file, change, text):
    model, x = dumped(file)
    change(model)
    with pytest.raises(rj.MalformedError, match=text):
        rj.ml.compile(model, x)


def test_numbers_of_rounds_and_trees_are_checked():
    model, x = dumped("lightgbm_binary")
    model["num_tree_per_iteration"] = 0
    with pytest.raises(rj.ArgumentError, match="0 scores for classes"):
        rj.ml.compile(model, x)
    model, x = dumped("xgboost_binary")
    model["learner"]["objective"]["name"] = "binary:logitraw"
    with pytest.raises(rj.ArgumentError, match="objective='binary:logitraw'"):
        rj.ml.compile(model, x)


def test_files_end_at_the_best_round():
    model, x = dumped("xgboost_classes")
    scores = int(model["learner"]["learner_model_param"]["num_class"])
    whole = rj.ml.compile(model, x)._clear(x)
    model["learner"]["attributes"]["best_iteration"] = "1"
    found = rj.ml.compile(model, x)._clear(x)
    part = model["learner"]["gradient_booster"]["model"]
    part["trees"], part["tree_info"] = part["trees"][: 2 * scores], part["tree_info"][: 2 * scores]
    del model["learner"]["attributes"]["best_iteration"]
    assert np.array_equal(rj.ml.compile(model, x)._clear(x), found)
    assert not np.allclose(found, whole)


@pytest.mark.parametrize("options", [{}, {"booster": "dart", "rate_drop": 0.3}, {"num_parallel_tree": 2}])
def test_stopped_models_and_their_files_predict_alike(options, tmp_path):
    xgboost = pytest.importorskip("xgboost")
    x, y = datasets.load_wine(return_X_y=True)
    fitted = xgboost.XGBClassifier(n_estimators=30, max_depth=2, early_stopping_rounds=2, **options)
    fitted.fit(x[::2], y[::2], eval_set=[(x[1::2], y[1::2])], verbose=False)
    fitted.get_booster().set_attr(best_iteration="0")
    path = tmp_path / "model.json"
    fitted.save_model(path)
    loaded = xgboost.XGBClassifier()
    loaded.load_model(path)
    assert loaded.early_stopping_rounds is None
    best = fitted.predict(x, output_margin=True)
    for source in (fitted, loaded, path):
        assert np.allclose(rj.ml.compile(source, x)._clear(x), best, atol=1e-3)
    booster = fitted.get_booster()
    every = booster.predict(xgboost.DMatrix(x), output_margin=True)
    assert np.allclose(rj.ml.compile(booster, x)._clear(x), every, atol=1e-3)
    assert not np.allclose(every, best, atol=1e-3)


@pytest.mark.parametrize("package", ["xgboost", "lightgbm"])
def test_frames_have_the_columns_of_boosters_and_files(package):
    module = pytest.importorskip(package)
    pytest.importorskip("pandas")
    frame, y = datasets.load_breast_cancer(return_X_y=True, as_frame=True)
    assert " " in frame.columns[0]
    if package == "xgboost":
        model = module.XGBClassifier(n_estimators=3, max_depth=2).fit(frame, y)
        booster = model.get_booster()
        file = json.loads(booster.save_raw("json"))
    else:
        model = module.LGBMClassifier(n_estimators=3, max_depth=2, verbose=-1).fit(frame, y)
        booster = model.booster_
        file = booster.dump_model()
    wanted, swapped = model.predict(frame), frame[frame.columns[::-1]]
    for source in (model, booster, file):
        compiled = rj.ml.compile(source, frame)
        assert np.array_equal(compiled.predict(frame, mode="clear"), wanted)
        with pytest.raises(rj.ArgumentError, match="a frame with the columns"):
            compiled.predict(swapped, mode="clear")
        with pytest.raises(rj.ArgumentError, match="a frame with the columns"):
            rj.ml.compile(source, swapped)
    # models without names have those of the calibration samples
    for unnamed in (type(model)(**model.get_params()).fit(frame.to_numpy(), y), dumped(f"{package}_binary")[0]):
        with pytest.raises(rj.ArgumentError, match="a frame with the columns"):
            rj.ml.compile(unnamed, swapped).predict(frame, mode="clear")


@pytest.mark.parametrize("hide_thresholds", [False, True])
def test_splits_of_missing_values_are_no_conditions(hide_thresholds):
    x = np.random.default_rng(0).normal(size=(200, 3))
    holes, y = x.copy(), (x[:, 0] > 0.1).astype(int)
    # samples of a third class lack a feature: trees split them from others by that
    holes[::4, 1], y[::4] = np.nan, 2
    model = ensemble.RandomForestClassifier(3, max_depth=3, max_features=None, random_state=0).fit(holes, y)
    assert any(np.isinf(part.tree_.threshold).any() for part in model.estimators_)
    compiled = rj.ml.compile(model, x, hide_thresholds=hide_thresholds)
    assert np.mean(compiled.predict(x, mode="simulate") == model.predict(x)) >= (0.98 if hide_thresholds else 1)
    assert np.array_equal(compiled.predict(x, mode="clear"), model.predict(x))
    sent = compiled._interface.packing.sent
    ends = (sent.low, sent.high) if hide_thresholds else (sent.threshold,)
    assert all(np.abs(end).max() < 100 for end in ends)


def test_lightgbm_writes_infinity_as_a_number():
    lightgbm = pytest.importorskip("lightgbm")
    x = np.random.default_rng(0).normal(size=(400, 3))
    holes, y = x.copy(), (x[:, 0] > 0.1).astype(int)
    holes[::4, 1], y[::4] = np.nan, 2
    model = lightgbm.LGBMClassifier(n_estimators=2, max_depth=4, verbose=-1).fit(holes, y)
    assert "1e+300" in json.dumps(model.booster_.dump_model())
    compiled = rj.ml.compile(model, x, hide_thresholds=True)
    assert compiled._interface.packing.sent.high.max() < 100
    far = np.where(np.random.default_rng(1).random(x.shape) < 0.5, -1e290, 1e290)
    for rows in (x, far):
        assert np.array_equal(compiled.predict(rows, mode="clear"), model.predict(rows))
        assert np.mean(compiled.predict(rows, mode="simulate") == model.predict(rows)) >= 0.98


def test_one_split_of_missing_values_depends_on_no_feature():
    x = np.r_[np.full(20, np.nan), np.arange(20.0)][:, None]
    model = tree.DecisionTreeClassifier(max_depth=1).fit(x, np.isnan(x[:, 0]))
    assert np.isinf(model.tree_.threshold[0])
    with pytest.raises(rj.ArgumentError, match="depends on a feature"):
        rj.ml.compile(model, np.arange(20.0)[:, None])
