"""Reads trees and ensembles of trees: of scikit-learn by their attributes, of XGBoost and LightGBM by their JSON."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..._checks import refusal
from ...errors import MalformedError, RingjetError
from ._layers import Array, Head
from ._trees import Forest, Scaling, Tree


def reads(model: Any) -> bool:
    """Whether a model, or the last step of a pipeline, is a tree or an ensemble of trees, or a file of JSON."""
    last = model.steps[-1][1] if type(model).__name__ == "Pipeline" else model
    if isinstance(last, (str, PathLike)):
        return os.fspath(last).endswith(".json")
    return isinstance(last, Mapping) or type(last).__name__ in MODELS


def read(model: Any) -> tuple[Forest, list[Scaling]]:
    """The trees of a fitted model, and what scales features before them. Refuses models that it does not know, and
    models that are not fitted."""
    steps = [step for _, step in model.steps] if type(model).__name__ == "Pipeline" else [model]
    scalings: list[Scaling] = []
    for step in steps[:-1]:
        if step is None or isinstance(step, str) and step == "passthrough":
            continue
        name = type(step).__name__
        if name not in _SCALERS:
            expected = f"before trees a transformer of each feature on its own: {', '.join(sorted(_SCALERS))}"
            raise refusal("model", name, expected)
        if getattr(step, "clip", False):
            raise refusal("model", f"{name}(clip=True)", "clip=False")
        scalings += _guarded(name, functools.partial(_SCALERS[name], step))
    last = steps[-1]
    if isinstance(last, (str, PathLike, Mapping)):
        return _guarded("a file of trees", lambda: _from_json(_loaded(last))), scalings
    name = type(last).__name__
    return _guarded(name, lambda: MODELS[name](last)), scalings


def predictor(model: Any, head: Head) -> Callable[[Array], Any] | None:
    """What predicts with the original model; None for files and dictionaries."""
    last = model.steps[-1][1] if type(model).__name__ == "Pipeline" else model
    if isinstance(last, (str, PathLike, Mapping)):
        return None
    if type(last).__name__ != "Booster":
        predict: Callable[[Array], Any] = model.predict
        return predict
    # boosters predict probabilities: the scores are compared
    raw = {"predict_type": "margin", "validate_features": False} if hasattr(last, "save_raw") else {"raw_score": True}
    method = last.inplace_predict if hasattr(last, "save_raw") else last.predict
    return lambda rows: head(np.asarray(method(rows, **raw)).reshape(len(rows), -1))


def _guarded(name: str, reader: Callable[[], Any]) -> Any:
    try:
        return reader()
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, RingjetError):
            raise
        found = f"a fitted model with one label a sample, of two classes at least: {type(error).__name__}: {error}"
        raise refusal("model", name, found) from None
    except RingjetError:
        raise
    except Exception as error:
        if type(error).__name__ not in ("NotFittedError", "XGBoostError", "LightGBMError"):
            raise
        raise refusal("model", name, f"a fitted model: {error}") from None


def _scaled(*operations: tuple[str, Any]) -> list[Scaling]:
    return [Scaling(name, np.asarray(numbers, float)) for name, numbers in operations if numbers is not None]


_SCALERS: dict[str, Callable[[Any], list[Scaling]]] = {
    "StandardScaler": lambda s: _scaled(
        ("subtract", s.mean_ if s.with_mean else None), ("divide", s.scale_ if s.with_std else None)
    ),
    "MinMaxScaler": lambda s: _scaled(("multiply", s.scale_), ("add", s.min_)),
    "MaxAbsScaler": lambda s: _scaled(("divide", s.scale_)),
    "RobustScaler": lambda s: _scaled(("subtract", s.center_), ("divide", s.scale_)),
}


# scikit-learn


def _classifier(classes: Any, scores: int) -> Head:
    found = np.asarray(classes)
    if found.ndim != 1 or len(found) < 2 or scores not in (len(found), 1 if len(found) == 2 else -1):
        raise ValueError(f"{scores} scores for classes of shape {found.shape}")
    return Head("sign" if scores == 1 else "argmax", found)


def _difference(values: Array) -> Array:
    """The scores of classes, or of two classes the second one's minus the first one's."""
    return values[:, 1:] - values[:, :1] if values.shape[1] == 2 else values


def _nodes(fitted: Any, values: Array) -> Tree:
    tree = fitted.tree_
    return Tree(tree.children_left, tree.children_right, tree.feature, tree.threshold, np.asarray(values, float))


def _probabilities(fitted: Any) -> Array:
    """The share of each class in the nodes of a tree."""
    if fitted.n_outputs_ != 1:
        raise refusal("model", f"{fitted.n_outputs_} labels a sample", "one label a sample")
    counts = np.asarray(fitted.tree_.value[:, 0, :], float)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _averaged_classes(m: Any, trees: list[Any]) -> Forest:
    values = [_difference(_probabilities(tree)) / len(trees) for tree in trees]
    made = [_nodes(tree, value) for tree, value in zip(trees, values, strict=True)]
    scores = values[0].shape[1]
    return Forest(made, np.zeros(scores), m.n_features_in_, _classifier(m.classes_, scores), rounds=True)


def _averaged_values(m: Any, trees: list[Any]) -> Forest:
    made = [_nodes(tree, tree.tree_.value[:, :, 0] / len(trees)) for tree in trees]
    return Forest(made, np.zeros(made[0].values.shape[1]), m.n_features_in_, Head("value"), rounds=True)


def _gradient_boosting(m: Any) -> Forest:
    if type(m.init_).__name__ not in ("DummyClassifier", "DummyRegressor", "str"):
        found = f"{type(m).__name__}(init={type(m.init_).__name__}(...))"
        raise refusal("model", found, 'init=None or init="zero": another model gives no constant')
    base = np.asarray(m._raw_predict_init(np.zeros((1, m.n_features_in_))), float)[0]
    trees = []
    for row in m.estimators_:
        for k, fitted in enumerate(row):
            values = np.zeros((fitted.tree_.node_count, len(base)))
            values[:, k] = m.learning_rate * fitted.tree_.value[:, 0, 0]
            trees.append(_nodes(fitted, values))
    if (classes := getattr(m, "classes_", None)) is None:
        return Forest(trees, base, m.n_features_in_, Head("value"), rounds=True)
    # a single score of 0 is the second class here
    head = _classifier(classes, len(base))
    return Forest(trees, base, m.n_features_in_, head, rounds=True, prefers_second=len(base) == 1)


def _hist_gradient_boosting(m: Any) -> Forest:
    if m.is_categorical_ is not None and np.any(m.is_categorical_):
        raise refusal("model", f"{type(m).__name__} with categorical features", "features that are numbers")
    classes = getattr(m, "classes_", None)
    if classes is None and m.loss in ("poisson", "gamma"):
        raise refusal(
            "model", f"{type(m).__name__}(loss={m.loss!r})", "a loss whose prediction is the sum of the trees"
        )
    base = np.asarray(m._baseline_prediction, float).ravel()
    trees = []
    for row in m._predictors:
        for k, fitted in enumerate(row):
            nodes = fitted.nodes
            values = np.zeros((len(nodes), len(base)))
            values[:, k] = nodes["value"]
            left, right = (np.where(nodes["is_leaf"], -1, nodes[side].astype(int)) for side in ("left", "right"))
            trees.append(Tree(left, right, nodes["feature_idx"].astype(int), nodes["num_threshold"], values))
    if classes is None:
        return Forest(trees, base, m.n_features_in_, Head("value"))
    return Forest(trees, base, m.n_features_in_, _classifier(classes, len(base)))


def _ada_boost(m: Any) -> Forest:
    weights = np.asarray(m.estimator_weights_, float)[: len(m.estimators_)]
    trees = []
    for fitted, weight in zip(m.estimators_, weights / weights.sum(), strict=True):
        if type(fitted).__name__ not in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
            raise refusal("model", f"AdaBoostClassifier over {type(fitted).__name__}", "trees")
        votes = np.zeros((fitted.tree_.node_count, m.n_classes_))
        # a tree may know fewer classes than all
        chosen = np.searchsorted(m.classes_, fitted.classes_)[_probabilities(fitted).argmax(axis=1)]
        votes[np.arange(len(votes)), chosen] = weight
        trees.append(_nodes(fitted, _difference(votes)))
    scores = trees[0].values.shape[1]
    return Forest(trees, np.zeros(scores), m.n_features_in_, _classifier(m.classes_, scores), rounds=True)


# XGBoost and LightGBM


def _loaded(source: Any) -> Any:
    """The JSON of a path, or the dictionary itself."""
    if isinstance(source, Mapping):
        return source
    try:
        return json.loads(Path(source).read_text())
    except OSError as error:
        raise refusal("model", repr(str(source)), f"a file that can be read: {error}") from None
    except ValueError:
        expected = 'a file of JSON, such as booster.save_model("model.json") of XGBoost writes'
        raise refusal("model", repr(str(source)), expected) from None


def _from_json(found: Any) -> Forest:
    if isinstance(found, Mapping) and "learner" in found:
        return _xgboost(found, stops=True)
    if isinstance(found, Mapping) and "tree_info" in found:
        return _lightgbm(found)
    raise refusal("model", "JSON of an unknown kind", "a model of XGBoost, or what dump_model() of LightGBM returns")


#: The objectives of XGBoost whose result is the sum of the trees.
_XGBOOST_VALUES = (
    "reg:squarederror reg:squaredlogerror reg:absoluteerror reg:pseudohubererror reg:quantileerror rank:pairwise "
    "rank:ndcg rank:map"
).split()


def _xgboost(found: Mapping[str, Any], classes: Any = None, stops: bool = False) -> Forest:
    """stops: whether rounds after the best one of early stopping are left out."""
    learner = found["learner"]
    booster, params, objective = (learner[key] for key in ("gradient_booster", "learner_model_param", "objective"))
    kind, name = booster["name"], objective["name"]
    if kind not in ("gbtree", "dart"):
        raise refusal("model", f"XGBoost with booster={kind!r}", 'booster="gbtree" or "dart"')
    if int(params.get("num_target", 1)) > 1:
        raise refusal("model", f"XGBoost with {params['num_target']} targets", "one target")
    model = booster["gbtree"]["model"] if kind == "dart" else booster["model"]
    weights = booster["weight_drop"] if kind == "dart" else np.ones(len(model["trees"]))
    scores = max(int(params["num_class"]), 1)
    start = json.loads(params["base_score"])
    base = np.broadcast_to(np.asarray(start, float).ravel(), (scores,)).copy()
    if name == "binary:logistic":
        with np.errstate(all="ignore"):
            base = np.log(base / (1 - base))
    trees = [
        _xgboost_tree(tree, weight, k, scores)
        for tree, weight, k in zip(model["trees"], weights, model["tree_info"], strict=True)
    ]
    if name in ("binary:logistic", "multi:softmax", "multi:softprob"):
        head = _classifier(np.arange(max(scores, 2)) if classes is None else classes, scores)
    elif name in _XGBOOST_VALUES and scores == 1:
        head = Head("value")
    else:
        known = ["binary:logistic", "multi:softprob", *_XGBOOST_VALUES]
        raise refusal("model", f"XGBoost with objective={name!r}", f"one of these objectives: {', '.join(known)}")
    trees = trees[: _best(learner, model, scores)] if stops else trees
    names = _names(learner, "f")
    return Forest(trees, base, int(params["num_feature"]), head, rounds=True, is_strict=True, names=names)


def _names(found: Mapping[str, Any], made_up: str) -> list[str] | None:
    """The names of features. made_up: what stands before the number of a feature that has no name."""
    names = [str(name) for name in found.get("feature_names") or []]
    return None if names == [f"{made_up}{k}" for k in range(len(names))] else names


def _best(learner: Mapping[str, Any], model: Mapping[str, Any], scores: int) -> int | None:
    """The number of trees up to the best round of early stopping; None for all trees."""
    best = learner.get("attributes", {}).get("best_iteration")
    if best is None:
        return None
    if int(best) < 0:
        raise MalformedError(f"best_iteration = {best}")
    return (int(best) + 1) * scores * int(model["gbtree_model_param"]["num_parallel_tree"])


def _xgboost_tree(tree: Mapping[str, Any], weight: float, k: int, scores: int) -> Tree:
    if not 0 <= k < scores:
        raise MalformedError(f"a tree for score {k} of {scores}")
    if any(tree.get("split_type", ())):
        raise refusal("model", "XGBoost with categorical splits", "features that are numbers")
    if int(tree["tree_param"].get("size_leaf_vector", 1)) > 1:
        raise refusal("model", "XGBoost with trees of several outputs", 'multi_strategy="one_output_per_tree"')
    # thresholds and values are numbers of 32 bits, and both are called conditions
    with np.errstate(over="ignore"):
        numbers = np.asarray(tree["split_conditions"], np.float32).astype(float)
    values = np.zeros((len(numbers), scores))
    values[:, k] = weight * numbers
    left, right, feature = (np.asarray(tree[key]) for key in ("left_children", "right_children", "split_indices"))
    return Tree(left, right, feature, numbers, values)


def _xgboost_model(m: Any) -> Forest:
    if not np.isnan(m.missing):
        raise refusal(
            "model", f"{type(m).__name__}(missing={m.missing})", "missing=nan: all other numbers are compared"
        )
    return _xgboost(json.loads(m.get_booster().save_raw("json")), getattr(m, "classes_", None), stops=True)


def _lightgbm(found: Mapping[str, Any], classes: Any = None) -> Forest:
    objective, scores = str(found.get("objective", "")).split(" ")[0], int(found["num_tree_per_iteration"])
    values = ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg")
    if objective in ("binary", "multiclass", "multiclassova"):
        head = _classifier(np.arange(max(scores, 2)) if classes is None else classes, scores)
    elif objective in values and scores == 1 and "sqrt" not in str(found["objective"]):
        head = Head("value")
    else:
        known = f"binary, multiclass, multiclassova, {', '.join(values)}"
        raise refusal("model", f"LightGBM with objective={found.get('objective')!r}", f"one of these: {known}")
    infos = found["tree_info"]
    weight = scores / max(len(infos), 1) if found.get("average_output") else 1.0
    trees = [_lightgbm_tree(info["tree_structure"], weight, i % scores, scores) for i, info in enumerate(infos)]
    features, names = int(found["max_feature_idx"]) + 1, _names(found, "Column_")
    return Forest(trees, np.zeros(scores), features, head, names=names)


def _lightgbm_tree(root: Mapping[str, Any], weight: float, k: int, scores: int) -> Tree:
    """The nodes of a tree, whose nodes are nested dictionaries."""
    found = [root]
    rows: list[tuple[int, int, int, float, float]] = []
    for node in found:
        if "left_child" not in node:
            if "leaf_coeff" in node and node["leaf_coeff"]:
                raise refusal("model", "LightGBM with linear_tree=True", "leaves that are numbers")
            rows.append((-1, -1, -1, 0.0, weight * node["leaf_value"]))
            continue
        if node["decision_type"] != "<=":
            raise refusal("model", "LightGBM with categorical splits", "features that are numbers")
        if node["missing_type"] == "Zero":
            raise refusal("model", "LightGBM with zero_as_missing=True", "zeros that are numbers")
        rows.append((len(found), len(found) + 1, node["split_feature"], node["threshold"], 0.0))
        found += [node["left_child"], node["right_child"]]
    left, right, feature, threshold, value = (np.asarray(column) for column in zip(*rows, strict=True))
    values = np.zeros((len(rows), scores))
    values[:, k] = value
    return Tree(left, right, feature, threshold, values)


def _booster(m: Any) -> Forest:
    """A `Booster`: both libraries have a class of this name."""
    return _xgboost(json.loads(m.save_raw("json"))) if hasattr(m, "save_raw") else _lightgbm(m.dump_model())


def _lightgbm_model(m: Any) -> Forest:
    return _lightgbm(m.booster_.dump_model(), getattr(m, "classes_", None))


#: The readers of models, by the names of their classes.
MODELS: dict[str, Callable[[Any], Forest]] = {
    **dict.fromkeys(("DecisionTreeClassifier", "ExtraTreeClassifier"), lambda m: _averaged_classes(m, [m])),
    **dict.fromkeys(("DecisionTreeRegressor", "ExtraTreeRegressor"), lambda m: _averaged_values(m, [m])),
    **dict.fromkeys(("RandomForestClassifier", "ExtraTreesClassifier"), lambda m: _averaged_classes(m, m.estimators_)),
    **dict.fromkeys(("RandomForestRegressor", "ExtraTreesRegressor"), lambda m: _averaged_values(m, m.estimators_)),
    **dict.fromkeys(("GradientBoostingClassifier", "GradientBoostingRegressor"), _gradient_boosting),
    **dict.fromkeys(("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"), _hist_gradient_boosting),
    "AdaBoostClassifier": _ada_boost,
    **dict.fromkeys(
        ("XGBClassifier", "XGBRegressor", "XGBRanker", "XGBRFClassifier", "XGBRFRegressor"), _xgboost_model
    ),
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor", "LGBMRanker"), _lightgbm_model),
    "Booster": _booster,
}
