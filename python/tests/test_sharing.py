"""Decryptions that the owner of the key gives to others."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj

EXAMPLE = Path(__file__).parents[2] / "examples" / "vote.py"


@pytest.fixture(scope="module")
def sharing() -> rj.Client:
    """A client whose scales leave room for the noise."""
    return rj.Client("n14-share-depth2", seed=5)


@pytest.fixture(scope="module")
def values(sharing: rj.Client) -> np.ndarray:
    return np.random.default_rng(5).uniform(-1, 1, sharing.slots)


@pytest.fixture(scope="module")
def sharing_server(sharing: rj.Client) -> rj.Server:
    return rj.Server(sharing.evaluation_keys(rotations=[1]))


def asked(security: int = 40, answers: int = 1024) -> float:
    """The least ratio of the noise's standard deviation to the bound on the error (Li, Micciancio,
    Schultz, Sorrell, ePrint 2022/816, section 5)."""
    return np.sqrt(12 * answers) * 2 ** (security / 2)


def test_the_example_publishes_what_was_voted():
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.startswith("tally: [15, 12, 13], mean rating: 0.4925\n")
    assert "answers given under this key: 2 of 1024" in done.stdout


def test_without_a_plan_it_says_how_to_make_one(sharing):
    ct = sharing.encrypt([0.5])
    with pytest.raises(rj.NotSharableError, match=r"ringjet\.plan\(program, params, magnitudes=.*plan=plan") as e:
        sharing.decrypt_for_sharing(ct, 8)
    assert "its sender's word" in e.value.reason
    with pytest.raises(TypeError, match=r"plan: what ringjet\.plan returned, not int"):
        sharing.decrypt_for_sharing(ct, 8, plan=3)
    # only a ciphertext of a counting backend is accepted as a plan
    with pytest.raises(rj.NotSharableError, match="came from somewhere"):
        sharing.decrypt_for_sharing(ct, 8, plan=ct)
    counted = rj.Server(backend="model", params=sharing.params).input()
    assert abs(sharing.decrypt_for_sharing(ct, 8, plan=counted)[0] - 0.5) <= 2**-9
    assert sharing.answers_given == 1


@pytest.mark.parametrize(
    "planned",
    [
        lambda x: x * 0.5,
        lambda x: x.with_slots(64),
        lambda x: x.to_level(1),
    ],
    ids=["product", "slots", "level"],
)
def test_a_plan_of_another_computation_is_refused(sharing, planned: Callable):
    before = sharing.answers_given
    with pytest.raises(rj.NotSharableError, match="make a plan of what was computed"):
        sharing.decrypt_for_sharing(sharing.encrypt([0.5]), 8, plan=rj.plan(planned, sharing.params))
    assert sharing.answers_given == before


def test_another_scale_or_other_parameters_are_refused(sharing):
    client = rj.Client(rj.heaan(12, 200, 60, allow_insecure=True), seed=1)
    plan = rj.plan(lambda x: x.rescale(8), client.params)
    with pytest.raises(rj.NotSharableError, match="make a plan of what was computed"):
        client.decrypt_for_sharing(client.encrypt([0.5], log_q=192), 8, plan=plan)
    with pytest.raises((rj.ParameterMismatchError, rj.SchemeError)):
        client.decrypt_for_sharing(client.encrypt([0.5]), 8, plan=rj.plan(lambda x: x, sharing.params))
    with pytest.raises(rj.ParameterMismatchError):
        sharing.decrypt_for_sharing(sharing.encrypt([0.5]), 8, plan=rj.plan(lambda x: x, "n14-depth6"))


def test_answers_are_counted_and_kept(sharing):
    client = rj.Client(sharing.params)
    plan = rj.plan(lambda x: x, client.params)
    ct = client.encrypt([0.25])
    assert client.answers_given == 0
    for given in (1, 2):
        assert abs(client.decrypt_for_sharing(ct, 10, plan=plan, answers=3)[0] - 0.25) <= 2**-11
        assert client.answers_given == given
    # a refused request does not count as an answer
    with pytest.raises(rj.NotSharableError):
        client.decrypt_for_sharing(ct, 60, plan=plan, answers=3)
    client.decrypt(ct)
    again = rj.Client.from_secret_bytes(client.to_secret_bytes(), params=client.params)
    assert (client.answers_given, again.answers_given) == (2, 2)
    again.decrypt_for_sharing(ct, 10, plan=plan, answers=3)
    with pytest.raises(rj.AnswersExhaustedError, match="3 decryptions were shared under this key, of 3") as e:
        again.decrypt_for_sharing(ct, 10, plan=plan, answers=3)
    assert (e.value.given, e.value.limit) == (3, 3)
    # a larger number of answers is allowed; it needs more noise
    again.decrypt_for_sharing(ct, 10, plan=plan)
    assert (client.answers_given, again.answers_given) == (2, 4)


def test_arguments(sharing):
    ct, plan = sharing.encrypt([0.5]), rj.plan(lambda x: x, sharing.params)
    with pytest.raises(rj.ArgumentError, match="security = 0: expected 1 to 128"):
        sharing.decrypt_for_sharing(ct, 8, plan=plan, security=0)
    with pytest.raises(rj.ArgumentError, match="answers = 0"):
        sharing.decrypt_for_sharing(ct, 8, plan=plan, answers=0)
    with pytest.raises(rj.NotSharableError, match=r"leaves \d+ bits after the point of 60: ask for fewer bits"):
        sharing.decrypt_for_sharing(ct, 60, plan=plan)
    with pytest.raises(rj.NotSharableError, match='a preset whose name has "share" in it'):
        narrow = rj.Client("n13-depth2")
        narrow.decrypt_for_sharing(narrow.encrypt([0.5]), 8, plan=rj.plan(lambda x: x, narrow.params))


def test_what_was_bootstrapped_is_refused():
    params = rj.heaan(10, 620, 23, slots=8, secret_weight=64, allow_insecure=True)
    client = rj.Client(params, seed=1)
    plan = rj.plan(lambda x: x.bootstrap(), params, log_q=params.bootstrap_input_log_q)
    assert plan.outputs[0].error_bound == np.inf
    ct = client.encrypt([0.5], log_q=plan.outputs[0].level)
    with pytest.raises(rj.NotSharableError, match="as after bootstrapping; share what was not bootstrapped"):
        client.decrypt_for_sharing(ct, 1, plan=plan)
    assert client.answers_given == 0


def test_one_of_several_outputs(sharing, sharing_server, values):
    def program(x, y):
        return {"sum": x + y, "products": [x * y, (x * y) * 0.5]}

    plan = rj.plan(program, sharing.params, magnitudes={"y": 2.0})
    server = rj.Server(sharing.evaluation_keys(**plan.keys))
    x, y = server.load(sharing.encrypt(values)), server.load(sharing.encrypt(2 * values, magnitude=2.0))
    found = program(x, y)
    results = [found["sum"], *found["products"]]
    wanted = [3 * values, 2 * values**2, values**2]
    names = ["['sum']", "['products'][0]", "['products'][1]"]
    assert [output.name for output in plan.outputs] == names
    for i, (ct, want) in enumerate(zip(results, wanted, strict=True)):
        for output in [i, names[i], *(["sum"] if i == 0 else [])]:
            shared = sharing.decrypt_for_sharing(ct.to_bytes(), 15, plan=plan, output=output)
            assert np.max(np.abs(shared - want)) <= 2**-15
    for wrong in [None, 3, -1, "products", "difference"]:
        with pytest.raises(rj.ArgumentError, match=r"0 \(\['sum'\]\), 1 \(\['products'\]\[0\]\)") as e:
            sharing.decrypt_for_sharing(results[0], 8, plan=plan, output=wrong)
        assert e.value.name == "output"
    # the second product is one level below the first
    with pytest.raises(rj.NotSharableError, match="make a plan of what was computed"):
        sharing.decrypt_for_sharing(results[1], 8, plan=plan, output=2)


@pytest.mark.parametrize(("security", "answers"), [(40, 1024), (60, 128), (30, 2**20)])
def test_noise_is_as_wide_as_the_theorem_asks(sharing, sharing_server, values, security, answers):
    def program(x):
        return x * 0.5 + x.rotate(1)

    plan = rj.plan(program, sharing.params)
    ct = program(sharing_server.load(sharing.encrypt(values)))
    ask = {"plan": plan, "security": security, "answers": answers}
    bits = 60
    while True:
        try:
            shared = sharing.decrypt_for_sharing(ct, bits, **ask)
            break
        except rj.NotSharableError:
            bits -= 1
    want = values * 0.5 + np.roll(values, -1)
    assert np.array_equal(shared * 2**bits, np.rint(shared * 2**bits))
    # the variance of rounding is known; the noise in a slot's real part sums up one coefficient per
    # slot
    seen = np.sqrt(np.var(shared - want) - 4.0**-bits / 12) / np.sqrt(sharing.slots)
    ratio = seen / (plan.outputs[0].error_bound * asked(security, answers))
    # the noise is rounded up to a power of two; 8,192 samples determine it to within 2 %
    assert 0.95 < ratio < 2.05
    # the hidden error is below its bound; with zeros, which are encoded exactly, it can be measured
    error = np.max(np.abs(sharing.decrypt(program(sharing_server.load(sharing.encrypt(0 * values))))))
    assert 2**-9 < error / plan.outputs[0].error_bound < 1
    # each decryption of a ciphertext gets new noise
    assert not np.array_equal(shared, sharing.decrypt_for_sharing(ct, bits, **ask))


def test_what_a_ciphertext_states_of_its_error_plays_no_role(sharing, values):
    """The server's bytes state another variance and another bound, from zero to the largest
    possible value."""
    plan = rj.plan(lambda x: x, sharing.params)
    honest, server = sharing.encrypt(values).to_bytes(), rj.Server(sharing.evaluation_keys(relinearization=False))
    deviations = []
    for stated in (0.0, 1.7e308, None):
        data = bytearray(honest)
        if stated is not None:
            # variance and bound come after the header (48 bytes) and slots, values, level and scale
            # (24 bytes)
            data[72:88] = struct.pack("<2d", stated, stated)
            data[-4:] = struct.pack("<I", zlib.crc32(data[:-4]))
        ct = server.load(bytes(data))
        assert stated is None or (ct.error_bound > 1e200 if stated else ct.error_bound == 0.0)
        shared = sharing.decrypt_for_sharing(bytes(data), 27, plan=plan)
        deviations.append(np.sqrt(np.var(shared - values) - 4.0**-27 / 12))
    least = plan.outputs[0].error_bound * asked() * np.sqrt(sharing.slots)
    assert all(0.95 < deviation / least < 2.05 for deviation in deviations)
    assert np.ptp(deviations) < 0.1 * least


def test_a_plan_holds_for_encryptions_with_either_key(sharing):
    own, public = sharing.encrypt([0.0]).error_bound, sharing.encrypt([0.0], public=True).error_bound
    assert rj.plan(lambda x: x, sharing.params).outputs[0].error_bound == public > own


def test_garbage_is_not_shared(sharing):
    plan = rj.plan(lambda x: x, sharing.params)
    other = rj.Client(sharing.params)
    data = bytearray(other.encrypt([0.5]).to_bytes())
    with pytest.raises(rj.KeyMismatchError):
        sharing.decrypt_for_sharing(bytes(data), 8, plan=plan)
    data[32:48] = bytes.fromhex(sharing.key_id)
    data[-4:] = struct.pack("<I", zlib.crc32(data[:-4]))
    before = sharing.answers_given
    with pytest.raises(rj.GarbageError):
        sharing.decrypt_for_sharing(bytes(data), 8, plan=plan)
    assert sharing.answers_given == before
