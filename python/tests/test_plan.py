"""A plan agrees with the real computation: levels, scales, errors, bootstraps, keys."""

from __future__ import annotations

import functools
import inspect
import json

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Polynomial

import ringjet as rj

HEAAN = {"log_n": 10, "log_q": 620, "log_p": 23, "slots": 8, "secret_weight": 64, "allow_insecure": True}


@pytest.fixture(scope="module")
def boot():
    chain = {"slots_to_coeffs": [5, 4], "coeffs_to_slots": [5, 4], "special": 4, "log_ratio": 12.0}
    return rj.bootstrap_chain(log_n=10, message_levels=4, allow_insecure=True, **chain)


def everything(server, x, y):
    v = np.linspace(-1, 1, x.slots)
    z = (x * y + 0.5) * v - 3 * x
    z = (z.with_magnitude(1.0) ** 5 + y.rotate(1).inner_sum(1, 8) / 4).with_magnitude(1.0)
    z = z.polynomial([0.1, 0.2, 0, 0.3]) - z.conjugate()
    z = z.with_range(-1, 1).polynomial(Chebyshev([0.1, 0.2, 0.5], domain=[-2, 2])) + np.ones(x.slots)
    z = rj.weighted_sum([x, y], [0.5, 0.25], level=3) * z.with_magnitude(1.0)
    z = rj.sum_of_products([z, x], [x, y.to_level(4)]).with_magnitude(1.0)
    z = (-z.times_i() * (1 + 2j)).with_magnitude(1.0)
    for _ in range(6):
        z = (1 - z).with_magnitude(1.0) * x
    low = z.to_level(2)
    many = server.bootstrap_many([low, low, low], real=True)
    return [z, low, low.bootstrap(real=True), *many, z.rotations([1, 2])[0].with_slots(8)]


def products(server, x, y):
    """A program without CKKS-only operations, for HEAAN."""
    v = np.linspace(-1, 1, x.slots)
    z = (x * y + 0.5) * v - 3 * x + y.rotate(-2).inner_sum(1, 4) / 8
    z = rj.weighted_sum([z, x.conjugate()], [0.125, 0.25]) + rj.sum_of_products([x], [y])
    z = z.mod_down_to(150)
    for _ in range(8):
        z = (z * x).with_magnitude(1.0)
    return {"z": z, "low": [z.rescale().mod_down_to(30), server.bootstrap(x)], "half": z.times_i().with_slots(4)}


def shapes(cts):
    left = [ct.level if ct.params.scheme == "ckks" else ct.log_q for ct in cts]
    return [(n, ct.scale, ct.slots, ct.precision_bits, ct.magnitude) for n, ct in zip(left, cts, strict=True)]


def compared(program, params):
    """The plan, and the results of a server that has exactly the plan's keys."""
    plan = rj.plan(program, params)
    client = rj.Client(params, seed=1)
    server = rj.Server(client.evaluation_keys(**plan.keys))
    inputs = [server.load(client.encrypt(np.full(client.slots, 0.1))) for _ in range(2)]
    return plan, program(server, *inputs)


def test_a_plan_is_what_a_server_does_with_the_keys_of_the_plan(boot):
    plan, really = compared(everything, boot)
    assert [tuple(vars(o).values())[1:6] for o in plan.outputs] == shapes(really)
    assert shapes([o.ciphertext for o in plan.outputs]) == shapes(really)
    assert plan.levels == [ct.level for ct in really] and plan.lowest == 2
    assert len(plan.bootstraps) > 3 and plan.bootstraps[-1].operation == "bootstrap"
    assert all("test_plan.py:" in b.where and b.slots == boot.slots for b in plan.bootstraps)
    assert plan.keys == {
        "rotations": [1, 2, 4],
        "conjugation": True,
        "relinearization": True,
        "bootstrapping": [boot.slots],
        "levels": {"conjugation": 3},
    }


def test_heaan():
    params = rj.heaan(**HEAAN)
    plan, really = compared(products, params)
    cts = [really["z"], *really["low"], really["half"]]
    assert [tuple(vars(o).values())[1:6] for o in plan.outputs] == shapes(cts)
    assert [o.name for o in plan.outputs] == ["['z']", "['low'][0]", "['low'][1]", "['half']"]
    assert plan.result["low"][0] == plan.outputs[1] and plan.levels[1] == plan.lowest == 30
    # these are all the keys that are used outside of bootstraps
    assert plan.keys["rotations"] == [1, -2, 2] and plan.keys["conjugation"] and plan.keys["bootstrapping"] == [8]
    assert plan.bootstraps[-1].operation == "bootstrap" and len(plan.bootstraps) > 1 and "log_q" in repr(plan)
    assert rj.plan(lambda x: x, params, log_q=100).levels == [100]
    with pytest.raises(rj.SchemeError):
        rj.plan(lambda x: x, params, level=1)
    with pytest.raises(rj.SchemeError, match="rotations"):
        rj.plan(lambda x: x, params, bootstrapping=False)


def test_magnitudes_carry_over(boot):
    def program(x, y):
        return x * y + y

    plan = rj.plan(program, boot, magnitudes={"x": 50.0, "y": 3.0})
    client = rj.Client(boot, seed=1)
    server = rj.Server(client.evaluation_keys(**plan.keys))
    x, y = (server.load(client.encrypt([0.5], magnitude=m)) for m in (50.0, 3.0))
    assert shapes([program(x, y)]) == shapes([o.ciphertext for o in plan.outputs])
    assert plan.outputs[0].magnitude == 153.0
    assert rj.plan(program, boot, magnitudes=[50, np.float64(3)]).outputs[0].magnitude == 153.0
    assert rj.plan(program, boot, magnitudes={"y": 3}).outputs[0].magnitude == 6.0
    assert rj.plan(program, boot, magnitudes=3).outputs[0].magnitude == 12.0
    assert plan.outputs[0].precision_bits < rj.plan(program, boot).outputs[0].precision_bits - 3


def test_where_and_how_often(boot):
    def power(x):
        y = x
        for _ in range(12):
            y = y * x
        return y

    plan = rj.plan(power, boot)
    line = inspect.getsourcelines(power)[1] + 3
    # six levels, two of them for bootstrapping; x itself never runs out of levels
    assert [(b.level, b.operation) for b in plan.bootstraps] == [(2, "product")] * 2 and plan.levels == [2]
    assert all(b.where.endswith(f"test_plan.py:{line}") for b in plan.bootstraps)
    assert plan.operations == {"product": 12, "bootstrap": 2}
    assert [step.bootstraps for step in plan.steps] == [0] * 5 + [1, 0, 0, 0, 1, 0, 0, 0]
    text = repr(plan)
    assert text.startswith(f"level 2, scale 2^{plan.outputs[0].scale:.2f}, 512 slots, values up to 1, about ")
    assert "2 bootstrap(s)\n  2 x " in text and ": product at level 2, 512 slots" in text
    assert "keys: relinearization, bootstrapping [512]" in text
    rows = plan.table().splitlines()
    assert rows[0].split()[:4] == ["line", "operation", "level", "scale"] and len(rows) == 14
    assert "product (1 bootstrap(s))  5" in plan.table() and rows[1].startswith("input x ")


def test_without_keys_for_bootstrapping(boot):
    def power(x, times):
        for _ in range(times):
            x = x * x
        return x

    top = boot.top_level
    last = rj.plan(functools.partial(power, times=top), boot, bootstrapping=False)
    assert last.levels == [0] and not last.bootstraps and last.keys["bootstrapping"] == []
    with pytest.raises(rj.LevelExhaustedError) as e:
        rj.plan(functools.partial(power, times=top + 1), boot, bootstrapping=False)
    assert e.value.left == 0
    with pytest.raises(rj.MissingBootstrappingKeysError):
        rj.plan(lambda x: x.bootstrap(), boot, bootstrapping=False)
    rotated = rj.plan(lambda x: x.rotate(-3).conjugate(), boot, bootstrapping=False)
    assert rotated.keys["rotations"] == [-3] and rotated.keys["conjugation"]


def test_what_a_function_may_be():
    params = "n13-depth2"
    assert rj.plan(lambda: 5, params).result == 5 and "no ciphertext" in repr(rj.plan(lambda: 5, params))
    assert rj.plan(lambda *xs: xs[0] * xs[1], params, magnitudes=[1.0, 1.0]).levels == [1]
    with pytest.raises(TypeError, match=r"how many inputs \*xs gets is not known"):
        rj.plan(lambda *xs: xs[0], params)

    def program(server, x, n=2, *, m=1):
        assert isinstance(server, rj.Server) and isinstance(x, rj.Ciphertext)
        assert server.params == rj.preset(params) and server.load(x) is x
        other = server.input(64, 1)
        return {"a": (x * n * m, "text"), "b": [other.with_slots(x.slots)]}

    plan = rj.plan(program, params, slots=32)
    assert [(o.name, o.level, o.slots) for o in plan.outputs] == [("['a'][0]", 2, 32), ("['b'][0]", 1, 32)]
    assert plan.result == {"a": (plan.outputs[0], "text"), "b": [plan.outputs[1]]}

    def total(x, *rest):
        return functools.reduce(lambda a, b: a + b, rest, x)

    plan = rj.plan(total, params, level=[2, 1, 0], slots=16)
    assert plan.levels == [0] and [s.where for s in plan.steps[:3]] == ["input x", "input rest[0]", "input rest[1]"]
    assert rj.plan(lambda x, y: x + y, params, slots={"x": 8, "y": 8}, level={"y": 1}).levels == [1]
    for wrong, message in [
        ({"level": [1]}, "1 inputs for a function of x, y"),
        ({"slots": {"z": 8}}, "names of inputs"),
    ]:
        with pytest.raises((TypeError, rj.ArgumentError), match=message):
            rj.plan(lambda x, y: x + y, params, **wrong)
    with pytest.raises(rj.ArgumentError, match="one for each input: x, y"):
        rj.plan(lambda x, y: x + y, params, level=[1, 1], magnitudes=[1.0])
    # a pair is the interval of the one parameter that has no default, unless there are two inputs

    def scaled(x, w=0.5):
        return x * w

    for pair in ((0.2, 5), np.array([0.2, 5])):
        plan = rj.plan(scaled, params, magnitudes=pair)
        assert [s.where for s in plan.steps[:2]] != ["input x", "input w"] and plan.outputs[0].ciphertext.range == (
            0.1,
            2.5,
        )
        assert rj.plan(scaled, params, magnitudes=pair, slots=[32]).outputs[0].ciphertext.range == (0.1, 2.5)
        simulated = rj.simulate(scaled, [1.0, 4.0], params=params, magnitudes=pair, slots=4)
        assert simulated.outputs[0].slot_values.tolist() == [0.5, 2.0, 0.1, 0.1] and not simulated.warnings
    both = rj.plan(scaled, params, magnitudes=(2, 5), counts=[4, 4])
    assert [s.magnitude for s in both.steps[:2]] == [2, 5] and both.steps[1].where == "input w"
    assert [s.magnitude for s in rj.plan(lambda x, y: x, params, magnitudes=(2, 5)).steps[:2]] == [2, 5]
    assert [s.magnitude for s in rj.plan(lambda *xs: xs[0], params, magnitudes=(2, 5)).steps[:2]] == [2, 5]

    def named(*, x):
        return x

    with pytest.raises(TypeError, match="by name only"):
        rj.plan(named, params)
    with pytest.raises(TypeError, match="name of a preset, not int"):
        rj.plan(lambda x: x, 13)
    with pytest.raises(rj.UnknownPresetError):
        rj.plan(lambda x: x, "n99")


def test_an_estimate_comes_along():
    plan = rj.plan(lambda x: x * x, "n13-depth2", device="a100-80gb")
    server = rj.Server(backend="model", params="n13-depth2")
    x = server.input()
    x * x
    assert plan.estimate.operations == server.estimate("a100-80gb").operations > 0
    assert rj.plan(lambda x: x * x, "n13-depth2", device=None).estimate is None


def test_an_estimate_is_of_the_program_alone():
    asked = rj.plan(lambda x: x * x, "n13-depth2")
    other = rj.plan(lambda x: x * x, "n13-depth2")
    _ = other.outputs[0].ciphertext * 2 + other.outputs[0].ciphertext
    assert other.estimate.operations == asked.estimate.operations > 0
    with pytest.raises(rj.DeviceError, match="abacus"):
        rj.plan(lambda x: x * x, "n13-depth2", device="abacus")


def test_without_a_device_an_estimate_is_for_this_machine(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("RINGJET_CACHE_DIR", str(tmp_path / "cache"))
    plan = rj.plan(lambda x: x * x, "n13-depth2")
    program = rj.compile(lambda x: x * x, "n13-depth2")
    assert plan.device == "here" == rj.devices()[0] and not list(tmp_path.iterdir()), "measured when it is asked for"
    assert plan.estimate.device == "here" and 1e-5 < plan.estimate.seconds < 0.5
    (profile,) = (tmp_path / "cache").glob("*.toml")
    assert "measuring this machine, once" in (said := capfd.readouterr().err) and str(profile) in said
    # the profile is read from then on: one with half the launches' time gives another estimate
    text = profile.read_text()
    launch = next(line for line in text.splitlines() if line.startswith("launch_s"))
    profile.write_text(text.replace(launch, "launch_s = 0.5"))
    assert 0.5 < program.estimate().seconds == rj.plan(lambda x: x * x, "n13-depth2").estimate.seconds
    assert plan.estimate.seconds < 0.5 and capfd.readouterr().err == ""
    profile.write_text("name = 3")
    with pytest.raises(rj.DeviceError, match="calibrate --here --threads \\d+` makes it anew"):
        program.estimate()


def test_keys_of_a_program_that_counts_anew():
    def program(server, x):
        y = x.rotate(3)
        server.reset_counts()
        return y.rotate(1)

    assert rj.plan(program, "n13-depth2").keys["rotations"] == [1, 3]


def test_depths_of_polynomials(boot):
    def depth(p):
        return boot.top_level - rj.plan(lambda x: x.polynomial(p), boot).levels[0]

    assert [depth([1.0] * n) for n in (1, 2, 3, 4, 5, 8, 9)] == [0, 1, 2, 2, 3, 3, 4]
    assert depth(np.poly1d([1.0, 0, 0])) == 2 and depth([1.0, 2.0, 0.0]) == 1
    assert depth(Polynomial([0, 1, 1], domain=[-2, 3])) == 2
    assert depth(Chebyshev([0, 1, 1])) == 2 and depth(Chebyshev([0, 1, 1], domain=[-2, 3])) == 3


def test_what_is_refused(boot):
    leveled = rj.params(10, [50, 40, 40], [50], allow_insecure=True)
    cases = [
        (lambda x: x * x * x * x, leveled, rj.LevelExhaustedError),
        (lambda x: x.bootstrap(), leveled, rj.NoBootstrappingError),
        (lambda x: x.to_level(0).bootstrap(), boot, rj.LevelExhaustedError),
        (lambda x: x.to_level(1).to_level(2), boot, rj.NoSuchLevelError),
        (lambda x: x + np.ones(1024), boot, rj.SlotMismatchError),
        (lambda x: x + x.with_slots(8), boot, rj.SlotMismatchError),
        (lambda x: np.eye(4) @ x, boot, rj.ArgumentError),
        (lambda x: x.with_slots(3), boot, rj.ArgumentError),
        (lambda x: x.with_magnitude(-1), boot, rj.ArgumentError),
        (lambda x: rj.weighted_sum([x], [1.0], level=9), boot, rj.LevelExhaustedError),
        (lambda x: x.to_bytes(), boot, rj.NoValuesError),
        (lambda x: x / x, boot, TypeError),
        (lambda x: x + "text", boot, TypeError),
        (lambda x: "text" * x, boot, TypeError),
        (lambda x: x < 1, boot, TypeError),
        (np.asarray, boot, TypeError),
        (lambda x: bool(x), boot, TypeError),
    ]
    for function, params, error in cases:
        with pytest.raises(error):
            rj.plan(lambda x, function=function: function(x), params)
    kept = []
    rj.plan(kept.append, boot)
    with pytest.raises(TypeError, match="two runs"):
        rj.plan(lambda x: x + kept[0], boot)
    client = rj.Client(leveled, seed=1)
    server = rj.Server(client.evaluation_keys())
    real = server.load(client.encrypt([1.0]))
    for mix in (lambda x: x + real, lambda x: real + x, lambda x: rj.weighted_sum([x, real], [1, 1])):
        with pytest.raises((rj.RingjetError, TypeError)):
            rj.plan(mix, leveled)


def test_a_program_sees_all_of_a_ciphertext_and_of_a_server(boot):
    seen = {}

    def look(server, x):
        seen.update(x=x, server=server)

    rj.plan(look, boot)
    for name, kind in (("x", rj.Ciphertext), ("server", rj.Server)):
        public = [n for n in dir(kind) if not n.startswith("_")]
        others = {"log_q", "log_scale", "noise_budget"}
        missing = [n for n in public if n not in others and not hasattr(seen[name], n)]
        operators = [n for n in vars(kind) if n.startswith("__") and n[2:-2] in OPERATORS]
        assert missing == [] and [n for n in operators if n not in dir(type(seen[name]))] == []
    with pytest.raises(rj.SchemeError):
        seen["x"].log_q
    with pytest.raises(AttributeError):
        seen["x"].nothing


OPERATORS = {"add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "neg", "pos", "pow", "rmatmul", "bool", "array"}


def test_keys_up_to_a_level(boot):
    """A key for lower levels is smaller, and is refused above its level."""
    client = rj.Client(boot, seed=1)
    low = client.evaluation_keys(rotations=[1, 2], levels={"relinearization": 2, 1: 3})
    assert low.sizes["in_memory"] < client.evaluation_keys(rotations=[1, 2]).sizes["in_memory"]
    server = rj.Server(low)
    x = server.load(client.encrypt([0.5]))
    assert server.rotations == [2] and low.relinearization
    assert abs(client.decrypt((x.to_level(3).rotate(1) + x.rotate(2)).to_level(2))[0]) < 1e-5
    for op in (lambda: x * x, lambda: x.rotate(1)):
        with pytest.raises(rj.KeyLevelError) as error:
            op()
        assert error.value.level == x.level > error.value.key_level
    with pytest.raises(rj.ArgumentError, match='levels = "3"'):
        client.evaluation_keys(rotations=[1], levels={3: 1})
    with pytest.raises(rj.NoSuchLevelError):
        client.evaluation_keys(levels={"relinearization": 99})
    with pytest.raises(rj.ArgumentError, match="every modulus"):
        rj.Client(rj.heaan(**HEAAN)).evaluation_keys(levels={"relinearization": 1})


def test_a_plan_as_json():
    plan = rj.plan(lambda x: {"y": (x * x).rotate(3), "n": x.conjugate()}, "n14-depth6", magnitudes=2, counts=100)
    found = json.loads(plan.to_json())
    assert rj.Parameters.from_json(json.dumps(found["parameters"])) == plan.params
    assert found["keys"]["rotations"] == [3] and found["keys"]["conjugation"] is True
    client = rj.Client("n14-depth6", seed=1)
    read, planned = (client.evaluation_keys(**keys) for keys in (found["keys"], plan.keys))
    assert repr(read) == repr(planned) and len(read.to_bytes()) == len(planned.to_bytes())
    assert [o["name"] for o in found["outputs"]] == ["['y']", "['n']"]
    assert [(o["level"], o["slots"], o["count"]) for o in found["outputs"]] == [(5, 8192, 8192), (6, 8192, 100)]
    assert (found["operations"]["rotation"], found["bootstraps"]) == (1, [])
    boots = json.loads(rj.plan(lambda x: x**64, "n15-boot").to_json())
    assert boots["bootstraps"][0]["operation"] and boots["outputs"][0]["error_bound"] is None


@pytest.mark.parametrize("bootstraps", [False, True])
def test_a_request_for_keys_travels_as_json(params, boot, bootstraps):
    def program(x, y):
        z = (x * y).rotate(1) - y.conjugate()
        for _ in range(4 if bootstraps else 1):
            z = (z * 0.5).with_magnitude(1)
        return z.bootstrap() * x if bootstraps else z

    params = boot if bootstraps else params
    # the server plans, and sends text
    plan = rj.plan(program, params)
    text = plan.to_json()
    assert bool(plan.bootstraps) == bootstraps and plan.keys["levels"]
    # the client makes the keys from the text alone
    found = json.loads(text)
    request = found["keys"]
    assert request == plan.keys == json.loads(json.dumps(plan.keys)) and bool(request["bootstrapping"]) == bootstraps
    client = rj.Client(rj.Parameters.from_json(json.dumps(found["parameters"]), allow_insecure=True), seed=4)
    keys = client.evaluation_keys(**request)
    assert keys.sizes == client.evaluation_keys(**plan.keys).sizes
    server = rj.Server(keys.to_bytes(), allow_insecure=True)
    v, w = np.linspace(-1, 1, client.slots), np.linspace(0.5, -0.5, client.slots)
    x, y = (server.load(client.encrypt(values).to_bytes()) for values in (v, w))
    z = program(x, y)
    want = (np.roll(v * w, -1) - w) / 2
    want = want / 8 * v if bootstraps else want
    assert np.max(np.abs(client.decrypt(z.to_bytes()) - want)) < (1e-3 if bootstraps else 1e-5)
    assert z.level == found["outputs"][0]["level"]
    if not bootstraps:  # whose keys are for many rotations
        with pytest.raises(rj.MissingRotationKeyError):
            x.rotate(3)
    subset = client.evaluation_keys(range(1, 8), True, bootstrapping=bootstraps).subset(**request)
    assert subset.rotations == keys.rotations and len(subset) == len(keys)
