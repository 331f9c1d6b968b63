"""A simulation computes the values of a decryption, and warns if they would be wrong."""

from __future__ import annotations

import inspect
import json
import pickle
import warnings

import numpy as np
import pytest
from numpy.polynomial import Chebyshev

import ringjet as rj

MATRIX = np.eye(16) + np.diag(np.arange(1.0, 16.0), 1) - np.diag(np.ones(15), -1)

BOOT = rj.bootstrap_chain(
    log_n=10,
    message_levels=4,
    slots_to_coeffs=[5, 4],
    coeffs_to_slots=[5, 4],
    special=4,
    log_ratio=12.0,
    allow_insecure=True,
)


def texts(simulation):
    return [str(warning) for warning in simulation.warnings]


def line_of(function, text):
    """File and line of the line of `function` that contains `text`."""
    lines, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(lines) if text in line)


def everything(server, x, y):
    """Uses each operation once."""
    v = np.linspace(-1, 1, x.slots) + 0.01
    yield x + y
    yield x - y * 0.5 + 1 - v
    yield -(x * y) / 3
    yield (x * v + 2 * y - v / 2) / v
    yield [0.5] * x.slots - x
    yield x**5
    yield x**0
    yield +x.rotate(3)
    yield from x.rotations([1, 2, -5])
    yield (x * (1 + 2j)).conjugate() * 1j
    yield x.inner_sum(1, 8)
    yield x.inner_sum(-2, 3)
    yield x.polynomial([0.5, 0.2, 0.0, -0.3])
    yield x.polynomial(np.poly1d([0.5, 0.2, 0.0]))
    yield x.polynomial(np.polynomial.Polynomial([0.5, 0.2, 1.0], domain=[-2, 3]))
    yield x.polynomial(np.polynomial.Legendre([0.1, 0.2, 0.3, 0.4], [-2, 2]))
    yield x.polynomial(Chebyshev([0.1, 0.2, 0.3, 0.4, 0.5], [-2, 2]))
    yield x.to_level(2) * y
    yield x.times_i().with_magnitude(2.0)
    yield rj.weighted_sum([x, y], [0.25, 3.0])
    yield rj.sum_of_products([x, y], [y, x])
    yield MATRIX @ x
    yield server.load(y).matmul(rj.LinearTransform(MATRIX))
    yield x.with_slots(64).rotate(17)
    yield np.float64(2) * x * np.array(0.5) + np.array([1.0])


KEYS = {"rotations": [1, 2, 3, 4, -1, -2, -4, -5, 17, *rj.LinearTransform(MATRIX).rotations], "conjugation": True}


def test_values_are_those_of_a_decryption(params, rng):
    client = rj.Client(params, slots=16, seed=1)
    v, w = rng.uniform(-1, 1, 16), rng.uniform(-1, 1, 11)
    simulation = rj.simulate(
        lambda server, x, y: list(everything(server, x, y)), v, w, params=params, slots=16, magnitudes=1
    )
    server = rj.Server(client.evaluation_keys(**KEYS))
    inputs = [server.load(client.encrypt(u)) for u in (v, w)]
    really = list(everything(server, *inputs))
    for i, (ct, values, output) in enumerate(zip(really, simulation.values, simulation.outputs, strict=True)):
        decrypted = client.decrypt(ct, complex=True)
        if output.slots != client.slots:
            decrypted = rj.Client.from_secret_bytes(
                client.to_secret_bytes(), output.slots, allow_insecure=True
            ).decrypt(ct, complex=True)
        assert np.max(np.abs(decrypted - values)) < 1e-5, f"operation {i}"
        assert values is output.values and output.name == f"[{i}]"
        found = (output.level, output.scale, output.slots, output.precision_bits, output.magnitude)
        assert found == (ct.level, ct.scale, ct.slots, ct.precision_bits, ct.magnitude), f"operation {i}"
    assert not np.iscomplexobj(simulation.values[0]) and np.iscomplexobj(simulation.values[-7])
    assert np.array_equal(simulation.values[0], (v + np.append(w, np.zeros(5)))[: simulation.outputs[0].count])


def test_heaan(rng):
    params = rj.heaan(log_n=10, log_q=620, log_p=23, slots=8, secret_weight=64, allow_insecure=True)
    client = rj.Client(params, seed=1)

    def program(x, y):
        z = (x * y + 0.5) * y.rotate(1)
        z = rj.weighted_sum([z, x.inner_sum(1, 4)], [0.25, 0.125]).mod_down_to(100)
        for _ in range(6):
            z = z * x
        return z, z.rescale(3), x.bootstrap()

    v, w = rng.uniform(-1, 1, 8), rng.uniform(-1, 1, 8)
    simulation = rj.simulate(program, v, w, params=params)
    assert texts(simulation) == [] and len(simulation.bootstraps) > 1
    server = rj.Server(client.evaluation_keys(**simulation.keys))
    really = program(server.load(client.encrypt(v)), server.load(client.encrypt(w)))
    for ct, output in zip(really, simulation.outputs, strict=True):
        assert (ct.log_q, ct.scale, ct.precision_bits) == (output.level, output.scale, output.precision_bits)
        assert np.max(np.abs(client.decrypt(ct) - output.values)) < 1e-3
    assert "log_q " in repr(simulation) and "log_q" in simulation.table().splitlines()[0]


def test_bootstraps(rng):
    client = rj.Client(BOOT, seed=1)

    def program(server, x):
        z = x
        for _ in range(7):
            z = z * x
        both = ((x + z.times_i()) * 0.5).bootstrap()
        return z, both, *server.bootstrap_many([z, x, z], real=True)

    v = rng.uniform(-1, 1, client.slots)
    simulation = rj.simulate(program, v, params=BOOT)
    assert texts(simulation) == []
    server = rj.Server(client.evaluation_keys(**simulation.keys))
    for ct, output in zip(program(server, server.load(client.encrypt(v))), simulation.outputs, strict=True):
        assert (ct.level, ct.scale, ct.precision_bits) == (output.level, output.scale, output.precision_bits)
        assert np.max(np.abs(client.decrypt(ct, complex=True) - output.values)) < 1e-3
    plan = rj.plan(program, BOOT)
    assert simulation.bootstraps == plan.bootstraps and simulation.keys == plan.keys
    assert simulation.operations == plan.operations


# ---- warnings ----


def test_padding_that_leaves_an_interval(params):
    """A common mistake: standardising turns the padding zeros into -17."""
    mean, deviation = 8.5, 0.5
    series = Chebyshev([0.1, 0.2, 0.3], domain=[-1, 1])

    def standardised(x):
        z = (x - mean) * (1 / deviation)
        return z.polynomial(series)

    v = np.linspace(8.0, 9.0, 40)
    simulation = rj.simulate(standardised, v, params=params, slots=64, magnitudes=9)
    line = line_of(standardised, "z.polynomial")
    (warning,) = texts(simulation)
    assert warning.endswith(
        f"test_simulate.py:{line}: polynomial: 24 slots, of them 24 padding, leave [-1, 1]: values are in [-17, -17]"
    )
    step = simulation.steps[-1]
    assert step.operation == "polynomial" and step.where.endswith(f"test_simulate.py:{line}")
    before = simulation.steps[-2]
    assert (before.given.low, before.given.high, before.given.low_slot, before.given.high_slot) == (-1, 1, 0, 39)
    assert (before.padding.low, before.padding.low_slot) == (-17, 40) and "[-17, -17]" in simulation.table()

    def stated(x):
        return ((x - mean) * (1 / deviation)).with_range(-1, 1).polynomial(series)

    for fill in (mean, {"x": 8}):
        # the values are small enough, but their stated bound is too large
        (refused,) = texts(rj.simulate(standardised, v, params=params, slots=64, magnitudes=9, fill=fill))
        assert (
            f":{line}: polynomial: the polynomial is for real values in [-1, 1], these can be anywhere in [-35, 1]"
            in refused
        )
        assert texts(rj.simulate(stated, v, params=params, slots=64, magnitudes=9, fill=fill)) == []
    wrong = texts(rj.simulate(stated, v, params=params, slots=64, magnitudes=9))
    assert "range: values up to 17 exceed the stated magnitude 1" in wrong[0] and len(wrong) == 2
    (low,) = texts(rj.simulate(lambda x: x.with_range(0, 1), [-0.5, 1.0], params=params, slots=2))
    assert "range: values in [-0.5, 1] exceed the stated range [0, 1]" in low
    (mixed,) = texts(rj.simulate(standardised, np.append(v, 10), params=params, slots=64, magnitudes=10))
    assert "24 slots, of them 23 padding, leave" in mixed and "values are in [-17, 3]" in mixed
    (own,) = texts(rj.simulate(standardised, np.append(v, [10] * 24), params=params, slots=64, magnitudes=10))
    assert "24 slots leave [-1, 1]: values are in [3, 3]" in own


def test_padding_follows_the_values(params):
    def padded(function, *arrays):
        s = rj.simulate(function, *arrays, params=params, slots=16).steps[-1]
        return None if s.padding is None else (s.padding.low_slot, s.padding.high_slot)

    few, all_ = np.arange(1, 4) / 8, np.arange(1, 17) / 16
    assert padded(lambda x: x, few) == (3, 3) and padded(lambda x: x, all_) is None
    assert padded(lambda x, y: x * y, few, all_) is None, "given values have reached every slot"
    assert padded(lambda x: x + np.arange(16.0), few) == (3, 15)
    assert padded(lambda x: x.rotate(-2) + np.arange(16.0), few) == (0, 15)
    assert padded(lambda x: x.inner_sum(-1, 4) + np.arange(16.0), few) == (6, 15)
    assert padded(lambda x: x.with_slots(32) + np.arange(32.0), few) == (3, 31)
    swap = np.roll(np.eye(16), 5, axis=0)
    for matrix in (swap, rj.LinearTransform(swap)):
        assert padded(lambda x, m=matrix: x.matmul(m) + np.arange(16.0), few) == (0, 15)


def test_values_beyond_what_is_stated(params):
    def program(x, y):
        z = x * y
        z = z + y
        return z.with_magnitude(0.5)

    simulation = rj.simulate(program, [3.0, 0.0], [0.5, -0.9], params=params, slots=16)
    assert texts(simulation)[0] == "input x: values up to 3 exceed the stated magnitude 1"
    line = line_of(program, "with_magnitude")
    assert len(texts(simulation)) == 2, "what follows from the input is not new"
    assert texts(simulation)[1].endswith(f":{line}: magnitude: values up to 2 exceed the stated magnitude 0.5")
    assert texts(rj.simulate(lambda x, y: x * y + y, [3.0], [0.5], params=params, magnitudes={"x": 3})) == []


def test_values_that_do_not_fit(params):
    """A real server returns wrong values exactly where a simulation warns."""
    client = rj.Client(params, slots=16, seed=1)
    server = rj.Server(client.evaluation_keys())

    def power(x):
        y = x * x
        return y.to_level(1) * y.to_level(1)

    room = params.levels[0]["modulus_bits"] - 1 - params.levels[0]["scale_bits"]
    for size, fits in ((2 ** (room / 4 - 0.25), True), (2 ** (room / 4 + 0.25), False)):
        v = np.full(16, size)
        simulation = rj.simulate(power, v, params=params, slots=16, magnitudes=size)
        x = server.load(client.encrypt(v, magnitude=size))
        if fits:
            assert np.all(np.abs(client.decrypt(power(x)) / simulation.values - 1) < 0.01)
        else:
            with pytest.raises(rj.ValueOverflowError, match="could wrap around"):
                power(x)
            wrong = power(x.with_magnitude(1.0))
            assert np.all(np.abs(client.decrypt(wrong, check=False) / simulation.values - 1) > 0.01)
        found = [text for text in texts(simulation) if "do not fit" in text]
        assert len(found) == (0 if fits else 1)
    place, text = found[0].split(": product: ")
    assert place.endswith(f"test_simulate.py:{line_of(power, 'return')}")
    assert text.startswith(f"values up to {size**4:.4g} do not fit the modulus of level 0: 1.0 bits are missing")
    # encryption checks values against the remaining bits of the modulus
    big = 2.0 ** (params.levels[6]["modulus_bits"] - 1 - params.levels[6]["scale_bits"])
    for size, fits in ((0.99 * big, True), (1.01 * big, False)):
        made = texts(rj.simulate(lambda x: x, np.full(16, size), params=params, slots=16, magnitudes=size))
        assert any("do not fit" in text for text in made) != fits
    endless = rj.simulate(lambda x: x**8, np.full(1024, 1e60), params=params, magnitudes=1e60)
    assert "values up to inf do not fit" in texts(endless)[-1]


def test_values_too_large_to_bootstrap():
    def program(x):
        y = x.to_level(2)
        y = y * x
        return y.to_level(2).bootstrap()

    simulation = rj.simulate(program, [2.0], params=BOOT, magnitudes=2)
    lines = [line_of(program, "y * x"), line_of(program, "bootstrap()")]
    names, sizes = ("product", "bootstrap"), (2, 4)
    for warning, line, name, size in zip(texts(simulation), lines, names, sizes, strict=True):
        assert f":{line}: {name}: values up to {size} are bootstrapped; bootstrapping is for values up to 1" in warning
    assert texts(rj.simulate(program, [1.0], params=BOOT)) == []

    complex_ = rj.simulate(lambda x: x.to_level(2).bootstrap(real=True), [0.5 + 0.25j], params=BOOT)
    assert complex_.values[0] == 0.5 and "keeps their real parts" in texts(complex_)[0]


def test_values_that_should_repeat(params):
    def program(x):
        return x.with_slots(4)

    assert texts(rj.simulate(program, [1, 0.5] * 8, params=params, slots=16)) == []
    simulation = rj.simulate(program, [1.0] * 4, params=params, slots=16)
    assert "values do not repeat after 4 slots, and become their means" in texts(simulation)[0]
    client = rj.Client(params, slots=16, seed=1)
    server = rj.Server(client.evaluation_keys())
    reader = rj.Client.from_secret_bytes(client.to_secret_bytes(), 4, allow_insecure=True)
    decrypted = reader.decrypt(program(server.load(client.encrypt([1.0] * 4))))
    assert np.max(np.abs(decrypted - simulation.values)) < 1e-6 and np.all(simulation.values == 0.25)


def test_it_goes_on_where_the_library_refuses(params):
    """If the library refuses a stated bound, the simulation goes on with the values' true bound or
    with one that is accepted."""

    def cubed(x):
        return x.polynomial(Chebyshev([0, 1, 0, 1], domain=[-1, 1]))

    for value, magnitude in ((0.5, 2.0), (1.5, 2.0)):
        found = rj.simulate(cubed, [value], params=params, magnitudes=magnitude)
        assert found.values[0] == pytest.approx(Chebyshev([0, 1, 0, 1])(value))
        (warning,) = map(str, found.warnings)
        assert "test_simulate.py:" in warning and "polynomial: " in warning
        assert ("leaves [-1, 1]" in warning) == (value > 1)
        with pytest.raises(rj.OutsideIntervalError):
            rj.plan(cubed, params, magnitudes=magnitude)


# ---- errors, noise ----


def test_the_error_of_an_approximation(params):
    series = Chebyshev.interpolate(np.tanh, 7, domain=[-2, 2])
    v = np.linspace(-1.9, 1.9, 50)
    assert rj.simulate(lambda x: x.polynomial(series), v, params=params, magnitudes=2).steps[-1].error is None
    series.function = np.tanh
    step = rj.simulate(lambda x: x.polynomial(series), np.append(v, 3.0), params=params, magnitudes=3).steps[-1]
    assert step.error == pytest.approx(np.max(np.abs(series(v) - np.tanh(v)))) and 1e-4 < step.error < 1e-2


def test_noise_is_of_the_estimated_size(params):
    def program(x):
        return x * x, x.times_i()

    v = np.random.default_rng(1).uniform(-1, 1, params.slots)
    exact = rj.simulate(program, v, params=params)
    first, again, other = (rj.simulate(program, v, params=params, noise=True, seed=s) for s in (5, 5, 6))
    for i, output in enumerate(first.outputs):
        assert np.array_equal(output.values, again.values[i]) and not np.array_equal(output.values, other.values[i])
        error = np.std((output.values - exact.values[i]).real)
        assert error == pytest.approx(2**-output.precision_bits, rel=0.1)
    assert np.std(first.values[1].imag - v) == pytest.approx(2 ** -first.outputs[1].precision_bits, rel=0.1)


# ---- inputs ----


def test_arrays_and_inputs(params):
    s = rj.simulate(lambda x, y=2: (x, y), [1], params=params)
    assert s.values[1] == 2 and s.values[0].tolist() == [1.0] and s.outputs[0].slots == params.slots
    s = rj.simulate(lambda x, y=2: x * y, [1], [0.5], params=params, slots=4)
    assert s.values.tolist() == [0.5] and (s.outputs[0].count, s.outputs[0].slots) == (1, 4)
    s = rj.simulate(lambda *xs: sum(xs), [1], [0.5], [0.25], params=params, slots=[2, 2, 2], fill=[0, 1, 0.5j])
    assert s.values.tolist() == [1.75] and s.outputs[0].slots == 2
    s = rj.simulate(lambda x, y: (x + y).with_count(2), [1], [0.5], params=params, slots=2, fill=[1, 0.5j])
    assert s.values.tolist() == [1.5, 1 + 0.5j]
    with pytest.raises(TypeError, match="3 inputs for a function of x, y"):
        rj.simulate(lambda x, y: x, [1], [2], [3], params=params)
    for wrong in ([], np.zeros(5)):
        with pytest.raises(rj.SlotCountError):
            rj.simulate(lambda x: x, wrong, params=params, slots=4)
    with pytest.raises(rj.ArgumentError, match="a vector"):
        rj.simulate(lambda x: x, np.zeros((2, 2)), params=params, slots=4)
    with pytest.raises(rj.NoValuesError, match="give the arrays"):
        rj.simulate(lambda server, x: server.input() + x, [1], params=params)
    with pytest.raises(rj.NoValuesError):
        rj.simulate(pickle.dumps, [1], params=params)


def test_a_training_in_the_clear_goes_through(rng):
    """The library's own training on rows of data stays within its stated bounds and learns the same
    weights."""
    x, y = rng.uniform(-1, 1, (60, 5)), np.where(rng.uniform(size=60) < 0.5, -1.0, 1.0)
    boot = rj.bootstrap_chain(
        log_n=11,
        message_levels=9,
        log_ratio=12.0,
        special=4,
        slots_to_coeffs=[5, 5],
        coeffs_to_slots=[5, 5],
        allow_insecure=True,
    )
    plan = rj.ml.TrainingPlan.make(boot, *x.shape, iterations=5, degree=7)
    rows = plan.rows_of(x, y)

    def training(*data):
        *_, last = rj.ml.EncryptedTraining(plan, data).run()
        return last.state.w, last.factor

    s = rj.simulate(training, *plan.pack(rows), params=boot, slots=plan.slots)
    # training corrects its own errors, which the estimate does not know
    assert all("errors are estimated at" in text for text in texts(s)) and len(texts(s)) <= 1
    assert len(s.bootstraps) == len(plan.bootstraps) > 0
    expected = rj.ml.train_in_the_clear(plan, rows)[-1]
    assert np.max(np.abs(plan.unpack(*s.values) - expected)) < 1e-9
    assert json.loads(json.dumps(dict(s.keys)))["bootstrapping"] == [plan.width]


# ---- padding of encryptions ----


def test_encryptions_are_filled(params):
    client = rj.Client(params, slots=8, seed=1)
    others = rj.Encryptor(client.public_key(), slots=8)
    for encrypt in (client.encrypt, others.encrypt, lambda v, **k: client.encrypt(v, public=True, **k)):
        for fill in (2, -0.5, np.float64(0.25), 1 - 2j):
            found = client.decrypt(encrypt([1.0, 3.0], fill=fill, magnitude=3), complex=True, all_slots=True)
            assert np.max(np.abs(found - [1, 3, *[fill] * 6])) < 1e-6
        assert np.max(np.abs(client.decrypt(encrypt([1.0]), all_slots=True) - np.eye(8)[0])) < 1e-6
        assert np.max(np.abs(client.decrypt(encrypt(np.ones(8), fill=5.0)) - 1)) < 1e-6
        with pytest.raises(rj.SlotCountError):
            encrypt(np.ones(9), fill=1.0)
        with pytest.raises(rj.SlotCountError):
            encrypt([], fill=1.0)
        with pytest.raises(rj.NotFiniteError):
            encrypt([1.0], fill=np.nan)
        with pytest.raises((TypeError, ValueError)):
            encrypt([1.0], fill="much")


# ---- estimates that say garbage, wrap-arounds, gaps, levels ----


def test_values_that_drown_in_errors(params):
    """The warning names the operation that lost the values, once; plans and texts say it in words."""

    def program(x):
        y = x * 2.0**-50  # the product is below the errors of an encryption
        return y * 3.0

    simulation = rj.simulate(program, [0.5], params=params)
    (warning,) = texts(simulation)
    line = line_of(program, "x * 2.0**-50")
    assert f":{line}: constant product: errors are estimated at " in warning, warning
    assert warning.endswith("and values are at most 8.882e-16: by this estimate no digit is right")
    plan = rj.plan(program, params)
    for text in (str(plan), str(simulation), repr(plan.outputs[0].ciphertext)):
        assert "noise: errors of about " in text and " exceed the values of at most 2.665e-15" in text
    assert plan.table().splitlines()[-1].split()[-1] == "none" and "none" not in plan.table().splitlines()[1]
    # exact zeros have no digits to lose
    assert texts(rj.simulate(lambda x: x * 0, [0.5], params=params)) == []


def test_decryption_warns_of_values_that_drown(params):
    client = rj.Client(params, slots=16, seed=1)
    server = rj.Server(client.evaluation_keys())
    x = server.load(client.encrypt(np.full(16, 0.5)))
    lost = x * 2.0**-38
    for ciphertext in (lost, lost.to_bytes()):
        with pytest.warns(
            rj.GarbageWarning,
            match="what was decrypted is noise, if the estimate is right: errors of .* at most 3.64e-12",
        ) as found:
            client.decrypt(ciphertext)
        assert len(found) == 1 and found[0].filename == __file__, "at the user's line"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client.decrypt(lost, check=False)
        client.decrypt(x * 0.5)
        client.decrypt_for_sharing(
            x.with_error(2.0), 0, plan=rj.plan(lambda x: x.with_error(2.0), params, slots=16), security=1
        )
        with pytest.raises(rj.GarbageWarning):
            client.decrypt(lost)
    # the largest error of all slots is indeed larger than the values; that of one slot need not be
    assert np.max(np.abs(client.decrypt(lost, check=False) - 2.0**-39)) > 2.0**-38


def test_a_matrix_warns_once(params):
    client = rj.Client(params, slots=16, seed=1)
    server = rj.Server(client.evaluation_keys())
    m = rj.load_matrix(server, rj.encrypt_matrix(client, np.eye(8))) * 2.0**-50
    for matrix in (m, m.to_bytes()):
        with pytest.warns(rj.GarbageWarning, match="noise") as found:
            rj.decrypt_matrix(client, matrix)
        assert len(found) == 1 and found[0].filename == __file__


def test_results_with_few_bits(params):
    """A score of some bits is no surprise for who reads it: `simulate` says it."""

    def score(x):
        y = x.with_error(2.0**-4.5)
        return {"score": y + 0, "other": x}

    (warning,) = texts(rj.simulate(score, [0.9, 0.5], params=params))
    assert (
        "result ['score']: of values up to 1 about 4.5 bits are right: their errors are estimated at 0.0442" in warning
    )
    assert f"test_simulate.py:{line_of(score, 'y + 0')}" in warning
    large = rj.simulate(lambda x: x.with_error(0.5), [1000.0], params=params, magnitudes=1000)
    assert texts(large) == [], "11 bits of a value of 1000"
    (none,) = texts(rj.simulate(lambda x: x.with_error(2), [1.0], params=params, magnitudes=1000))
    assert "of values up to 1 no bit is right: their errors are estimated at 2" in none


@pytest.mark.parametrize("name", ["bgv-n13", "bfv-n13"])
def test_integers_that_wrap_around(name):
    t = rj.preset(name).t

    def found(program, *values, **options):
        return texts(rj.simulate(program, *values, params=name, **options))

    def program(x):
        y = x * x
        return y + 1

    (warning,) = found(program, [5, 300])
    line = line_of(program, "x * x")
    assert warning.endswith(
        f":{line}: product: values up to 9e+04 wrap around modulo t = {t}: results are right modulo t only"
    )
    half = t // 2
    assert found(program, [181]) == [] and 181**2 <= half < 182**2 and len(found(program, [182])) == 1
    assert found(program, [300], modular=True) == []
    rows = [
        ("input x: values up to 4e+04", lambda x: x, [40_000]),
        ("sum: values up to 6e+04", lambda x: x + x, [30_000]),
        ("constant sum: values up to 3.5e+04", lambda x: x + 5_000, [30_000]),
        ("plain product: values up to 6e+04", lambda x: x * np.array([2] * 4), [30_000] * 4),
        ("power: values up to 4e+04", lambda x: x**2, [200]),
        ("polynomial: values up to 4e+04", lambda x: x.polynomial([0, 0, 1]), [200]),
        ("inner sum: values up to 4e+04", lambda x: x.inner_sum(1, 4), [10_000] * 4),
        ("weighted sum: values up to 4e+04", lambda x: rj.weighted_sum([x, x], [3, 1]), [10_000]),
        ("sum of products: values up to 4.033e+04", lambda x: rj.sum_of_products([x, x], [x, x]), [-142]),
    ]
    for text, other, values in rows:
        warning = found(other, values)
        assert len(warning) == 1 and text in warning[0], (text, warning)
    matrix = np.zeros((1, 4096), int)
    matrix[0, :4] = 1
    (warning,) = found(lambda x: x.matmul(matrix), [10_000] * 4)
    assert "matrix: values up to 4e+04" in warning
    # parts of a sum that cancel are no wrap-around
    assert found(lambda x: x.inner_sum(1, 4096), [30_000, 30_000, -30_000, -29_000]) == []
    assert found(lambda x: rj.weighted_sum([x, x], [3, -3]), [30_000]) == []


def test_values_within_the_gap_of_a_comparison():
    chain = rj.params(11, [50] + [42] * 24, [50] * 4, allow_insecure=True)

    def found(program, values):
        return [text.split(": ", 1)[1] for text in texts(rj.simulate(program, values, params=chain, slots=16))]

    close = "value is closer than the gap 0.1 to where the result changes, by 0.05 in slot 1: results may be anything between"
    values = [0.5, 0.05, -0.7]
    assert found(lambda x: x.sign(gap=0.1), values) == [f"sign: 1 {close}"]
    assert found(lambda x: x.positive(gap=0.1), values) == [f"positive: 1 {close}"]
    assert found(lambda x: rj.greater(x, 0.25, gap=0.1), [0.5, 0.3, 0.0]) == [f"greater: 1 {close}"]
    assert found(lambda x: rj.less(x, 0.25, gap=0.1), [0.5, 0.3, 0.0]) == [f"less: 1 {close}"]
    # differences between `within` and `within + gap`
    (equal,) = found(lambda x: rj.equal(x, 0.25, within=0.1, gap=0.1), [0.25, 0.35, 0.6, 0.38])
    assert equal.startswith("equal: 1 value is closer than the gap 0.05") and "slot 3" in equal
    # the gap itself is told apart, 0 has the sign 0, padding does not count
    assert found(lambda x: x.sign(gap=0.1), [0.5, 0.0, 0.1, -0.1]) == []
    (zero,) = found(lambda x: rj.greater(x, 0, gap=0.1), [0.5, 0.0])
    assert "by 0 in slot 1" in zero
    assert found(lambda x: x.relu(error=0.05), values) == []


def test_order_of_values_within_the_gap():
    deep = rj.params(13, [50] + [42] * 32, [50] * 4, allow_insecure=True)

    def found(values):
        simulated = rj.simulate(lambda x: x.rank(len(values), gap=0.1), values, params=deep, slots=64)
        return [text.split(": ", 1)[1] for text in texts(simulated)]

    (close,) = found([0.5, 0.45, -0.7])
    assert close.startswith("rank: 2 values are closer than the gap 0.1 to where the result changes, by 0.05 in slot ")
    assert found([0.5, 0.3, -0.7, 0.0]) == found([0.5, 0.5, -0.7]) == [], "equal values share a rank"


def test_it_goes_on_after_the_last_level(params):
    def program(x):
        for _ in range(params.depth):
            x = x * x
        y = x * x
        return y.polynomial([0.0, 1.0, 0.5]), y * 0.5

    simulation = rj.simulate(program, [0.9, -1.0], params=params, slots=4)
    (warning,) = texts(simulation)
    assert f":{line_of(program, 'y = x * x')}: product: multiplication needs 1 level(s), but 0 are left: " in warning
    assert warning.endswith("The simulation goes on with the same values, encrypted afresh")
    y = np.array([0.9, -1.0]) ** 2 ** (params.depth + 1)
    for values, expected in zip(simulation.values, (y + 0.5 * y**2, 0.5 * y), strict=True):
        assert values.shape == (2,) and np.allclose(values, expected)
    assert [output.level for output in simulation.outputs] == [params.depth - 3, params.depth - 2]
    # errors do not become smaller
    assert simulation.outputs[1].precision_bits < simulation.steps[0].precision_bits
    with pytest.raises(rj.LevelExhaustedError, match="degree 300 takes 9"):
        rj.simulate(lambda x: x.polynomial([1e-3] * 301), [0.9], params=params)
    with pytest.raises(rj.LevelExhaustedError):
        rj.plan(program, params)
    with pytest.raises(rj.LevelExhaustedError, match="^sort needs"):
        rj.simulate(lambda x: x.sort(4), [0.9, 0.1, 0.5, -0.3], params=params)
    (sign,) = texts(rj.simulate(lambda x: x.to_level(3).sign(gap=0.1, error=0.05), [0.9], params=params, slots=4))
    assert "sign: sign needs " in sign and "3 are left" in sign and sign.endswith("encrypted afresh")


def test_it_goes_on_after_the_noise_budget_is_spent():
    def program(x):
        for _ in range(8):
            x = x * x
        return x

    simulation = rj.simulate(program, [1, -1, 0], params="bgv-n12")
    assert np.array_equal(simulation.values, [1, 1, 0]) and simulation.warnings
    assert all("noise budget" in text or "level" in text for text in texts(simulation))
    assert all(text.endswith("encrypted afresh") for text in texts(simulation))


def test_it_goes_on_after_the_last_bits():
    params = rj.heaan(log_n=10, log_q=100, log_p=23, slots=8, secret_weight=64, allow_insecure=True)

    def program(x):
        for _ in range(6):
            x = x * x
        return x

    simulation = rj.simulate(program, [1.0, 0.5], params=params)
    assert simulation.values.shape == (2,) and np.allclose(simulation.values, [1, 0.5**64]) and texts(simulation)
    assert "bits of modulus" in texts(simulation)[0] and texts(simulation)[0].endswith("encrypted afresh")


def test_fresh_ciphertexts_hold_the_same_number_of_values(params):
    x = np.array([0.9, -1.0, 0.5])

    def program(x):
        for _ in range(params.depth):
            x = x * x
        y = x * x
        return y.mean(), y.sum(), (y + 1).sum(), y

    simulation = rj.simulate(program, x, params=params, slots=8)
    y = x**2 ** (params.depth + 1)
    assert texts(simulation)[0].endswith("encrypted afresh")
    for values, expected in zip(simulation.values, (y.mean(), y.sum(), (y + 1).sum(), y), strict=True):
        assert np.allclose(values, expected), (values, expected)
    assert [output.count for output in simulation.outputs] == [8, 8, 8, 3]
    # slots after the values hold 0, until 1 is added: only then a sum takes a level to clear them
    levels = [output.level for output in simulation.outputs]
    assert levels[1] == levels[3] and levels[2] == levels[3] - 1
    # with another fill, a sum takes the level at once
    filled = rj.simulate(program, x, params=params, slots=8, fill=0.25)
    assert np.allclose(filled.values[1], y.sum()) and filled.outputs[1].level == levels[1] - 1
    # a whole algorithm that goes on with fresh ciphertexts
    deep = rj.params(13, [50] + [42] * 32, [50] * 4, allow_insecure=True)
    sorted_ = rj.simulate(lambda x: x.to_level(3).rank(gap=0.1), x, params=deep, slots=64)
    assert np.allclose(sorted_.values, [2, 0, 1], atol=0.01) and texts(sorted_)[0].endswith("encrypted afresh")


@pytest.mark.parametrize("bounds", [(0.2, 5), [0.2, 5], np.array([0.2, 5]), np.float32([0.5, 5])], ids=str)
def test_slots_without_values_are_filled_as_at_encryption(params, bounds):
    values = np.array([0.7, 4.5])
    filled = rj.Client(params, slots=4).encrypt(values, magnitude=bounds)
    found = rj.simulate(lambda x: x, values, params=params, slots=4, magnitudes=[bounds])
    assert found.outputs[0].slot_values.tolist() == [0.7, 4.5, filled.range[0], filled.range[0]]
    assert not found.warnings
