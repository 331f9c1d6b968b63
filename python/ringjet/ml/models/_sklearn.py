"""Reads fitted models of scikit-learn by their attributes, without importing it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..._checks import refusal
from ...errors import RingjetError
from ._layers import Activation, Affine, Array, Head, Squares
from ._linear import Scale
from ._network import Layer
from ._tree_readers import MODELS as TREES

_Read = tuple[list[Layer], Head]


def read(model: Any) -> _Read:
    """The layers of a fitted model, and what its scores mean. Refuses models that it does not know, and models
    that are not fitted."""
    steps = [step for _, step in model.steps] if type(model).__name__ == "Pipeline" else [model]
    layers: list[Layer] = []
    for step in steps[:-1]:
        if step is not None and step != "passthrough":
            layers += _known(step, _TRANSFORMERS, "a transformer")
    found, head = _known(steps[-1], _MODELS, "a model", TREES)
    layers += found
    for layer in layers:
        if isinstance(layer, Affine) and not (np.all(np.isfinite(layer.weights)) and np.all(np.isfinite(layer.bias))):
            raise refusal("model", type(model).__name__, "finite weights")
    return layers, head


def _known(step: Any, readers: dict[str, Callable[[Any], Any]], kind: str, others: Iterable[str] = ()) -> Any:
    """What the reader of a step returns. others: names that are read elsewhere."""
    name = type(step).__name__
    if name not in readers:
        raise refusal("model", name, f"{kind} of these: {', '.join(sorted([*readers, *others]))}")
    if getattr(step, "clip", False):
        raise refusal("model", f"{name}(clip=True)", "clip=False: clipping is no affine function")
    try:
        return readers[name](step)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        if isinstance(error, RingjetError):
            raise
        found = "a fitted model with one label a sample, of two classes at least, and dense arrays"
        raise refusal("model", name, f"{found}: {error}") from None


def _scaled(shift: Array | float, factor: Array | float, size: int) -> list[Layer]:
    """`(x - shift) * factor` for each of `size` features."""
    factors = np.broadcast_to(np.asarray(factor, float), (size,))
    return [Scale(factors, -np.broadcast_to(np.asarray(shift, float), (size,)) * factors, (size,))]


def _standard(s: Any) -> list[Layer]:
    # there is a mean also where it is not subtracted
    mean, scale = (s.mean_ if s.with_mean else 0.0), (s.scale_ if s.with_std else 1.0)
    return _scaled(mean, 1 / np.asarray(scale), s.n_features_in_)


def _robust(s: Any) -> list[Layer]:
    center, scale = (0.0 if s.center_ is None else s.center_), (1.0 if s.scale_ is None else s.scale_)
    return _scaled(center, 1 / np.asarray(scale), s.n_features_in_)


def _pca(s: Any) -> list[Layer]:
    rotated = np.asarray(s.components_, float)
    if s.whiten:
        scale = np.sqrt(s.explained_variance_)
        rotated = rotated / np.maximum(scale, np.finfo(scale.dtype).eps)[:, None]
    return [Affine(rotated, -rotated @ s.mean_)]


_TRANSFORMERS: dict[str, Callable[[Any], list[Layer]]] = {
    "StandardScaler": _standard,
    "MinMaxScaler": lambda s: [Scale(np.asarray(s.scale_, float), np.asarray(s.min_, float), s.scale_.shape)],
    "MaxAbsScaler": lambda s: _scaled(0.0, 1 / s.scale_, s.n_features_in_),
    "RobustScaler": _robust,
    "PCA": _pca,
    "TruncatedSVD": lambda s: [Affine(np.asarray(s.components_, float), np.zeros(len(s.components_)))],
}


def _coefficients(m: Any) -> Affine:
    weights = np.atleast_2d(np.asarray(m.coef_, float))
    return Affine(weights, np.broadcast_to(np.asarray(m.intercept_, float), (len(weights),)).copy())


def _classes(classes: Any, scores: int) -> Head:
    found = np.asarray(classes)
    if found.ndim != 1 or len(found) != max(scores, 2):
        raise ValueError(f"{scores} scores for classes of shape {found.shape}")
    return Head("sign" if scores == 1 else "argmax", found)


def _linear_regressor(m: Any) -> _Read:
    return [_coefficients(m)], Head("value")


def _linear_classifier(m: Any) -> _Read:
    layer = _coefficients(m)
    return [layer], _classes(m.classes_, layer.outputs)


def _perceptron(m: Any, head: Callable[[int], Head]) -> _Read:
    names = {"logistic": "sigmoid"}
    layers: list[Layer] = []
    for weights, bias in zip(m.coefs_, m.intercepts_, strict=True):
        layers.append(Affine(np.asarray(weights, float).T, np.asarray(bias, float)))
        if m.activation != "identity":
            layers.append(Activation(names.get(m.activation, m.activation)))
    # the last function is increasing: the owner of the scores needs no approximation of it
    layers = layers if m.activation == "identity" else layers[:-1]
    return layers, head(len(m.intercepts_[-1]))


def _naive_bayes(m: Any) -> _Read:
    # the logarithm of a normal density is a polynomial of degree 2 in every feature
    half = 0.5 / m.var_
    constant = np.log(m.class_prior_) - np.sum(0.5 * np.log(2 * np.pi * m.var_) + half * m.theta_**2, axis=1)
    weights = np.concatenate([2 * half * m.theta_, -half], axis=1)
    return [Squares(), Affine(weights, constant)], Head("argmax", np.asarray(m.classes_))


def _nearest(centres: Array) -> Affine:
    """Scores that are larger for nearer centres: half the squared distance, without the part that all have in
    common."""
    centres = np.asarray(centres, float)
    middle = centres.mean(axis=0)
    # distances do not depend on the origin; this one loses the fewest digits
    from_middle = centres - middle
    return Affine(from_middle, -from_middle @ middle - 0.5 * np.sum(from_middle**2, axis=1))


def _centroids(m: Any) -> _Read:
    if m.metric != "euclidean":
        raise refusal("model", f"NearestCentroid(metric={m.metric!r})", 'metric="euclidean"')
    return [_nearest(m.centroids_)], Head("argmax", np.asarray(m.classes_))


def _k_means(m: Any) -> _Read:
    return [_nearest(m.cluster_centers_)], Head("argmax", np.arange(len(m.cluster_centers_)))


def _neighbours(m: Any) -> _Read:
    if m.effective_metric_ != "euclidean" or m.weights != "uniform":
        found = f"{type(m).__name__}(metric={m.effective_metric_!r}, weights={m.weights!r})"
        raise refusal("model", found, 'the Euclidean distance and weights="uniform"')
    classes, labels = getattr(m, "classes_", None), np.asarray(m._y)
    if classes is not None:
        labels = np.asarray(classes)[labels]
    head = Head("nearest", None if classes is None else np.asarray(classes), labels, m.n_neighbors)
    return [_nearest(m._fit_X)], head


def _kernel(m: Any) -> list[Layer]:
    """The kernel of a sample and every support vector."""
    vectors = np.asarray(m.support_vectors_, float)
    if m.kernel == "rbf":
        # the squared distance is affine in the features and their squares
        squares = np.broadcast_to(-m._gamma, vectors.shape)
        weights = np.concatenate([2 * m._gamma * vectors, squares], axis=1)
        return [Squares(), Affine(weights, -m._gamma * np.sum(vectors**2, axis=1)), Activation("exp", upper_bound=0.0)]
    if m.kernel == "linear":
        return [Affine(vectors, np.zeros(len(vectors)))]
    inner = Affine(m._gamma * vectors, np.full(len(vectors), float(m.coef0)))
    if m.kernel in ("poly", "sigmoid"):
        return [inner, Activation(f"power {m.degree}" if m.kernel == "poly" else "tanh")]
    raise refusal("model", f"{type(m).__name__}(kernel={m.kernel!r})", "kernel linear, poly, rbf or sigmoid")


def _support_regressor(m: Any) -> _Read:
    return [*_kernel(m), Affine(np.asarray(m.dual_coef_, float), np.asarray(m.intercept_, float))], Head("value")


def _support_classifier(m: Any) -> _Read:
    classes, dual, intercept = np.asarray(m.classes_), np.asarray(m.dual_coef_, float), np.asarray(m.intercept_, float)
    if m.break_ties:
        raise refusal("model", f"{type(m).__name__}(break_ties=True)", "break_ties=False")
    if len(classes) == 2:
        return [*_kernel(m), Affine(dual, intercept)], Head("sign", classes)
    # a vector has a coefficient for each of the other classes, in order
    owner = np.repeat(np.arange(len(classes)), m.n_support_)
    weights = [
        np.where(owner == i, dual[j - 1], 0) + np.where(owner == j, dual[i], 0)
        for i, j in itertools.combinations(range(len(classes)), 2)
    ]
    return [*_kernel(m), Affine(np.array(weights), intercept)], Head("pairs", classes)


_LINEAR_REGRESSORS = (
    "ARDRegression BayesianRidge ElasticNet ElasticNetCV HuberRegressor Lars Lasso LassoCV LassoLars LinearRegression "
    "LinearSVR Ridge RidgeCV SGDRegressor TheilSenRegressor"
).split()
_LINEAR_CLASSIFIERS = (
    "LinearDiscriminantAnalysis LinearSVC LogisticRegression LogisticRegressionCV PassiveAggressiveClassifier Perceptron "
    "RidgeClassifier RidgeClassifierCV SGDClassifier"
).split()
_MODELS: dict[str, Callable[[Any], _Read]] = {
    **dict.fromkeys(_LINEAR_REGRESSORS, _linear_regressor),
    **dict.fromkeys(_LINEAR_CLASSIFIERS, _linear_classifier),
    "MLPClassifier": lambda m: _perceptron(m, lambda scores: _classes(m.classes_, scores)),
    "MLPRegressor": lambda m: _perceptron(m, lambda _: Head("value")),
    "SVC": _support_classifier,
    "NuSVC": _support_classifier,
    "SVR": _support_regressor,
    "NuSVR": _support_regressor,
    "GaussianNB": _naive_bayes,
    "KMeans": _k_means,
    "MiniBatchKMeans": _k_means,
    "NearestCentroid": _centroids,
    "KNeighborsClassifier": _neighbours,
    "KNeighborsRegressor": _neighbours,
}
