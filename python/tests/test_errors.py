"""Errors of bad input: each has its own class, a builtin base class, and the values in message and
attributes."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import ringjet as rj
from ringjet import errors


def test_hierarchy():
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == "ringjet.errors"]
    assert len(classes) > 25
    for c in classes:
        assert issubclass(c, UserWarning if c.__name__.endswith("Warning") else rj.RingjetError)
        assert getattr(rj, c.__name__) is c
        assert c.__doc__
    builtin = {
        rj.InsecureParametersError: ValueError,
        rj.TooLargeError: OverflowError,
        rj.LevelExhaustedError: ArithmeticError,
        rj.MissingKeyError: LookupError,
        rj.MissingRotationKeyError: rj.MissingKeyError,
        rj.MissingBootstrappingKeysError: rj.MissingKeyError,
        rj.KeyLevelError: rj.MissingKeyError,
        rj.NoBootstrappingError: ValueError,
        rj.NotNestedError: ValueError,
        rj.OutOfMemoryError: MemoryError,
        rj.MalformedError: ValueError,
        rj.BackendError: RuntimeError,
    }
    assert all(issubclass(a, b) for a, b in builtin.items())


def test_errors_that_hold_values_say_so():
    """A service does not tell them to its clients. Three classes have bounds that its plan publishes."""
    bounds = {errors.ValueOverflowError, errors.OutsideIntervalError, errors.BootstrapMagnitudeError}
    found = set()
    for _, c in inspect.getmembers(errors, inspect.isclass):
        fields = c.__dict__.get("__annotations__", {})
        if {"value", "magnitude", "low"} & set(fields) or fields.get("found") is float:
            found.add(c)
    assert bounds < found and errors.OutsideStatedError in found
    assert {c for c in found if c.holds_values} == found - bounds
    assert not errors.RingjetError.holds_values


def test_parameters():
    with pytest.raises(rj.InsecureParametersError, match="allow_insecure") as e:
        rj.params(12, [50] + [40] * 5, [50])
    assert (e.value.log_n, e.value.allowed, e.value.security) == (12, 106, 128)
    assert e.value.log_qp == pytest.approx(300, abs=1) and "106" in str(e.value) and "300" in str(e.value)
    assert rj.params(12, [50] + [40] * 5, [50], allow_insecure=True).security == 0
    with pytest.raises(rj.UnknownPresetError, match="n15-depth9") as e:
        rj.preset("n15")
    assert e.value.name == "n15"
    with pytest.raises(rj.ParametersError, match="special primes only"):
        rj.params(14, [50, 40, 40, 40], [50], alpha=3)
    with pytest.raises(rj.ParametersError, match="log_n = 18"):
        rj.params(18, [50, 40], [50])
    with pytest.raises(rj.ParametersError, match="61 bits"):
        rj.params(14, [61, 40], [50])
    with pytest.raises(rj.ArgumentError, match="p_bits"):
        rj.params(14, [50, 40])
    with pytest.raises(rj.ArgumentError, match="either q_bits or q"):
        rj.params(14, [50, 40], [50], q=[3])
    with pytest.raises(rj.ParametersError):
        rj.Parameters.from_json('{"log_n": 14}')


def test_vectors(client, x):
    n = client.slots
    with pytest.raises(rj.SlotCountError, match=str(n + 1)) as e:
        client.encrypt(np.zeros(n + 1))
    assert e.value.found == n + 1
    with pytest.raises(rj.SlotCountError, match="0 values"):
        client.encrypt([])
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(rj.NotFiniteError, match="index 3") as f:
            client.encrypt([1, 2, 3, bad])
        assert f.value.index == 3
    with pytest.raises(rj.TooLargeError, match="1e90") as g:
        client.encrypt([1e90])
    assert g.value.magnitude == 1e90 and g.value.needed > g.value.available
    for shape in ((), (2, 2)):
        with pytest.raises(rj.ArgumentError, match="vector"):
            client.encrypt(np.zeros(shape))
    for bad in ("text", ["a"], None, [object()]):
        with pytest.raises(TypeError):
            client.encrypt(bad)
    with pytest.raises(
        rj.SlotMismatchError, match=f"an array of {n + 1} numbers does not fit a ciphertext of {n} slots"
    ) as h:
        x + np.ones(n + 1)
    assert (h.value.lhs, h.value.rhs) == (n, n + 1)
    with pytest.raises(rj.SlotMismatchError, match=f"an array of 3 numbers does not fit .* np.pad"):
        x / np.ones(3)
    with pytest.raises(rj.SlotMismatchError):
        x + np.ones(0)
    with pytest.raises(rj.SlotMismatchError):
        x * np.ones((2, n))
    for op in (lambda: x * np.nan, lambda: x + np.inf, lambda: x * np.full(n, np.nan), lambda: x / np.zeros(n)):
        with pytest.raises(rj.NotFiniteError):
            op()


def test_slots(params):
    for slots in (3, 0, 2048):
        with pytest.raises(rj.ArgumentError, match=f"slots = {slots}"):
            rj.Client(params, slots=slots)
    a, b = rj.Client(params, slots=8, seed=1), rj.Client(params, slots=16, seed=1)
    server = rj.Server(a.evaluation_keys())
    with pytest.raises(rj.SlotMismatchError, match="8 and 16"):
        server.load(a.encrypt([1.0])) + server.load(b.encrypt([1.0]))


def test_levels(client, x, server):
    low = x.to_level(0)
    with pytest.raises(rj.LevelExhaustedError, match="needs 1 level.*0 are left") as e:
        low * low
    assert (e.value.needed, e.value.left) == (1, 0)
    for op in (lambda: low * 0.5, lambda: low * np.ones(client.slots), lambda: low**2):
        with pytest.raises(rj.LevelExhaustedError):
            op()
    with pytest.raises(rj.LevelExhaustedError, match="takes 4 level.*1 are left"):
        x.to_level(1).polynomial([1.0] * 12)
    with pytest.raises(rj.NoSuchLevelError, match="level 7.*6") as f:
        client.encrypt([1.0], level=7)
    assert (f.value.level, f.value.top) == (7, 6)
    with pytest.raises(rj.NoSuchLevelError):
        low.to_level(1)


def test_keys(client, x):
    with pytest.raises(
        rj.MissingRotationKeyError, match=r"rotation by 17: make the keys with this rotation \(rotations=\[..., 17\]\)"
    ) as e:
        x.rotate(17)
    assert e.value.rotation == 17
    assert e.value.rotations == [17]
    with pytest.raises(rj.MissingRotationKeyError, match="17"):
        x.rotations([1, 17])
    with pytest.raises(rj.MissingRotationKeyError, match=r"rotations \[-9, 17, 18\]") as f:
        x.rotations([17, 1, 18, -9, 17])
    assert (f.value.rotation, f.value.rotations) == (-9, [-9, 17, 18])
    with pytest.raises(rj.MissingRotationKeyError) as g:
        x.inner_sum(9, 7)
    assert g.value.rotations == rj.inner_sum_rotations(9, 7) == [9, 18, 27]
    bare = rj.Server(client.evaluation_keys(relinearization=False)).load(client.encrypt([1.0]))
    with pytest.raises(rj.MissingRelinearizationKeyError, match="relinearisation"):
        bare * bare
    with pytest.raises(rj.MissingConjugationKeyError, match="conjugation=True"):
        bare.conjugate()
    assert isinstance(bare * 2.5 + bare, rj.Ciphertext)


def test_arguments(client, x, params):
    for bad in (-1, 2.5, "2"):
        with pytest.raises(rj.ArgumentError, match="exponent"):
            x**bad
    with pytest.raises(rj.ArgumentError, match="count = 0"):
        x.inner_sum(1, 0)
    with pytest.raises(rj.ArgumentError, match="backend.*cpu-scalar"):
        rj.Server(client.evaluation_keys(), backend="abacus")
    with pytest.raises(rj.ArgumentError, match="coefficients"):
        x.polynomial([1.0, 2j])
    with pytest.raises(rj.NotFiniteError):
        x.polynomial([1.0, np.nan])
    with pytest.raises(rj.ArgumentError, match="magnitude"):
        x.with_magnitude(-1)
    plan = rj.plan(lambda x: x, params)
    with pytest.raises(rj.NotSharableError, match="bits after the point of 50"):
        client.decrypt_for_sharing(x, 50, plan=plan)
    for name, value in (("security", 0), ("security", 200), ("answers", 0)):
        with pytest.raises(rj.ArgumentError, match=f"{name} = {value}"):
            client.decrypt_for_sharing(x, 1, plan=plan, **{name: value})
    with pytest.raises(TypeError, match="what ringjet.plan returned, not int"):
        client.decrypt_for_sharing(x, 1, plan=7)
    with pytest.raises(TypeError):
        x.rotate(1.5)
    with pytest.raises(TypeError, match="EvaluationKeys"):
        rj.Server(params)


def test_other_parameters(client, server, x):
    other = rj.Client(rj.params(11, [50] + [42] * 5, [50, 50], allow_insecure=True))
    foreign = other.encrypt([1.0])
    with pytest.raises(rj.ParameterMismatchError, match="parameter set") as e:
        server.load(foreign.to_bytes())
    assert e.value.expected == client.params.fingerprint and e.value.found == other.params.fingerprint
    for op in (lambda: server.load(foreign), lambda: client.decrypt(foreign), lambda: x + foreign):
        with pytest.raises(rj.ParameterMismatchError):
            op()


def test_detached(client, x):
    loose = client.encrypt([1.0])
    assert "no server" in repr(loose)
    for op in (lambda: loose + 1, lambda: loose * loose, lambda: loose.rotate(1), lambda: -loose):
        with pytest.raises(rj.DetachedError, match="server.load"):
            op()
    assert np.abs(client.decrypt(loose + x) - client.decrypt(x))[0] == pytest.approx(1, abs=1e-6)
