"""Computing over the nodes of a Ray cluster. All clusters are on this machine: Ray's test cluster
runs one `raylet` for each node."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet import ml
from ringjet.__main__ import main
from ringjet.cluster import Network, NodeInfo, plan_function, plan_training
from ringjet.cluster._plan import ciphertext_bytes

sys.path.insert(0, str(Path(__file__).parent))
import integer_pairs  # noqa: E402

try:
    import ray
    from ray.cluster_utils import Cluster as Raylets
except ImportError:
    ray = None
    message = "RAY IS NOT INSTALLED: clusters are not tested. pip install ringjet[ray]"
    warnings.warn(message, stacklevel=1)

needs_ray = pytest.mark.skipif(ray is None, reason="RAY IS NOT INSTALLED: pip install ringjet[ray]")

CHAIN = {"log_ratio": 12.0, "special": 4, "allow_insecure": True}
PARAMS = rj.bootstrap_chain(log_n=10, message_levels=9, slots_to_coeffs=[5, 4], coeffs_to_slots=[5, 4], **CHAIN)
STORE = 256 << 20
#: Settings with which Ray notices a lost node in a second or two instead of half a minute.
QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 2,
    "object_manager_pull_timeout_ms": 1000,
}


def bytes_of(ciphertexts):
    return [ct.to_bytes() for ct in ciphertexts]


class Nodes:
    """Raylets: a head without processors, and nodes of one core."""

    def __init__(self, count: int) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False, "_system_config": QUICK}
        self.raylets = Raylets(initialize_head=True, head_node_args=head)
        self.nodes = [self.add() for _ in range(count)]
        ray.init(address=self.raylets.address, log_to_driver=False, logging_level="error")

    def add(self):
        return self.raylets.add_node(num_cpus=1, object_store_memory=STORE)

    def kill(self, node) -> None:
        """Ends a node as a power cut does."""
        self.raylets.remove_node(node, allow_graceful=False)
        self.nodes.remove(node)

    def restore(self, count: int) -> None:
        while len(self.nodes) < count:
            self.nodes.append(self.add())

    def close(self) -> None:
        ray.shutdown()
        self.raylets.shutdown()


@pytest.fixture(scope="module")
def nodes():
    made = Nodes(2)
    yield made
    made.close()


@pytest.fixture
def two(nodes):
    """Two living nodes."""
    nodes.restore(2)
    return nodes


@pytest.fixture(scope="module")
def client():
    return rj.Client(PARAMS, slots=64, seed=5)


@pytest.fixture(scope="module")
def keys(client):
    return client.evaluation_keys(rotations=[1, 2], bootstrapping=True)


@pytest.fixture(scope="module")
def server(keys):
    return rj.Server(keys)


@pytest.fixture(scope="module")
def cts(client):
    rng = np.random.default_rng(2)
    return [client.encrypt(rng.uniform(-1, 1, 64), level=4) for _ in range(9)]


# ---- without Ray ----


def test_without_ray_the_error_says_what_to_install(tmp_path):
    program = """
import sys
sys.modules["ray"] = None
import ringjet as rj
from ringjet.cluster import ClusterPlan
try:
    rj.cluster(b"")
except rj.RayMissingError as error:
    assert isinstance(error, ImportError) and "pip install ringjet[ray]" in str(error), error
    print("refused")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout == "refused\n"


def test_importing_ringjet_does_not_import_ray(tmp_path):
    program = "import sys, ringjet; assert 'ray' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)


def test_sizes_of_ciphertexts(client):
    for level in (0, 3, PARAMS.depth):
        fresh = len(client.encrypt([1.0], level=level).to_bytes())
        assert abs(ciphertext_bytes(PARAMS, level) / 2 - fresh) < 0.06 * fresh + 300
    boot = rj.preset("n15-boot")
    assert abs(ciphertext_bytes(boot, boot.top_level) / boot.sizes["ciphertext"] - 1) < 0.06


def test_plan_is_the_models_estimate():
    def f(x):
        return (x * x).rotate(1) + x

    own = rj.plan(f, "n14-depth6", device="cpu-ifma-2core").estimate
    network = Network(bandwidth=1e10, latency=0.0)
    plan = plan_function(f, "n14-depth6", 1000, 3, "cpu-ifma-2core", network=network, expand_s=0.5)
    assert plan.work_seconds == 334 * own.seconds and plan.estimate == own and plan.device == "cpu-ifma-2core"
    assert plan.key_bytes == own.keys.at_rest and plan.key_bytes_sent == 3 * own.keys.at_rest
    assert plan.keys_seconds == pytest.approx(2 * own.keys.at_rest / 1e10), "one node, then two more: two rounds"
    top, left = (
        ciphertext_bytes(rj.preset("n14-depth6"), 6),
        ciphertext_bytes(rj.preset("n14-depth6"), plan.item.levels[0]),
    )
    assert plan.item_bytes == top // 2 + left
    assert plan.traffic_seconds == pytest.approx(1000 * plan.item_bytes / 1e10)
    assert plan.seconds == pytest.approx(plan.keys_seconds + 0.5 + max(plan.work_seconds, plan.traffic_seconds))
    assert plan.limit == "computing" and plan.throughput == pytest.approx(1000 / plan.work_seconds)
    many = plan_function(f, "n14-depth6", 10**6, 1000, "cpu-ifma-2core", network=network)
    assert many.limit == "network" and "limited by network" in str(many)
    with pytest.raises(rj.ArgumentError, match="nodes"):
        plan_function(f, "n14-depth6", 1, 0, "cpu-ifma-2core")


def test_plan_of_a_training_is_the_models_estimate():
    """On one node, with one shard a batch, the parts add up to the training in one process."""
    plan = ml.TrainingPlan.make(PARAMS, 60, 6, iterations=4, degree=3)

    def training(server):
        return list(ml.EncryptedTraining(plan, plan.inputs(server)).run())[-1].state.w

    whole = rj.plan(training, PARAMS, device="cpu-ifma-1core").estimate
    split = plan_training(plan, PARAMS, 1, "cpu-ifma-1core", network=Network(latency=0.0))
    assert len(plan.shards()) == 1 and split.work_seconds == pytest.approx(whole.seconds, rel=0.02)
    wide = ml.TrainingPlan.make(PARAMS, 60_000, 6, iterations=4, degree=3)
    times = [plan_training(wide, PARAMS, n, "cpu-ifma-1core").work_seconds for n in (1, 2, 4)]
    assert times[0] > 1.7 * times[1] > 2.5 * times[2]


# ---- on two nodes ----


@needs_ray
def test_map_and_bootstrap_have_the_bytes_of_one_process(two, client, keys, server, cts):
    def f(x):
        return (x * x + 1).rotate(1)

    with rj.cluster(keys) as c:
        seen = []
        out = c.map(f, cts, progress=lambda done, total: seen.append((done, total)))
        assert bytes_of(out) == [f(server.load(x)).to_bytes() for x in cts]
        assert seen == [(i, 9) for i in range(1, 10)]
        assert np.allclose(client.decrypt(out[0]), np.roll(client.decrypt(cts[0]) ** 2 + 1, -1), atol=1e-4)
        assert bytes_of(c.map(f, iter(cts), batch=4)) == bytes_of(out)
        loaded = [server.load(x) for x in cts]
        for real in (False, True):
            made = c.bootstrap_many(bytes_of(cts) if real else cts, real)
            assert bytes_of(made) == bytes_of(server.bootstrap_many(loaded, real))
        assert c.bootstrap_many([]) == [] and c.map(f, []) == []
        # items and results of other kinds
        pairs = c.map(lambda server, x: {"sum": x[0] + x[1], "at": x[2], "key": server.key_id}, [(cts[0], cts[1], 7)])
        assert pairs[0]["sum"].to_bytes() == (loaded[0] + loaded[1]).to_bytes()
        assert pairs[0]["at"] == 7 and pairs[0]["key"] == keys.key_id
        # more items than memory has room for are taken as results are
        taken = []
        lazy = c.imap(lambda x: x + 1, (taken.append(i) or i for i in range(1000)))
        assert [next(lazy) for _ in range(3)] == [1, 2, 3] and len(taken) < 20
        del lazy
        assert "2 nodes, 2 cores" in repr(c) or c.repeated
    assert repr(c) == "Cluster(closed)"
    with pytest.raises(rj.ClusterError, match="closed"):
        c.map(f, cts)


@needs_ray
@pytest.mark.parametrize("real", [False, True])
def test_ciphertexts_that_share_a_bootstrap_go_to_one_node(two, rng, real):
    client = rj.Client(PARAMS, slots=16, seed=3)
    keys = client.evaluation_keys(bootstrapping=[16, 32, 64])
    values = rng.uniform(-1, 1, (11, 16)) + (0 if real else 1j * rng.uniform(-1, 1, (11, 16)))
    cts = [client.encrypt(v, level=3) for v in values]
    server = rj.Server(keys)
    seen = []
    with rj.cluster(keys) as c:
        assert c.bootstrapping == [16, 32, 64]
        made = c.bootstrap_many(cts, real, progress=lambda done, total: seen.append((done, total)))
    assert seen == ([(8, 11), (11, 11)] if real else [(4, 11), (8, 11), (11, 11)])
    steps = []
    here = server.bootstrap_many([server.load(ct) for ct in cts], real, lambda done, total: steps.append(done))
    assert bytes_of(made) == bytes_of(here) and steps == [done for done, _ in seen]
    for ct, v in zip(made, values, strict=True):
        assert np.allclose(client.decrypt(ct, complex=True), v, atol=1e-4)


@needs_ray
def test_programs_have_the_bytes_of_one_process(two, keys, server, cts):
    program = rj.compile(lambda x: (x * x + 1).rotate(1), PARAMS, slots=64)
    with rj.cluster(keys, allow_insecure=True) as c:
        found = c.map(program, cts)
    assert bytes_of(found) == [program.run(server, server.load(x)).to_bytes() for x in cts]


@needs_ray
def test_integers_with_any_function(two):
    u8 = rj.integers(8)
    client = rj.Client(integer_pairs.SMALL, seed=1)
    keys = client.evaluation_keys(bootstrapping=True)
    vectors = [u8.encrypt(client, [v, v + 1, 255]) for v in (3, 100, 14)]
    with rj.cluster(keys, allow_insecure=True) as c:
        made = c.map(lambda x: x + 1, vectors)
    assert [u8.decrypt(client, x).tolist() for x in made] == [[4, 5, 0], [101, 102, 0], [15, 16, 0]]
    here = u8.load(rj.Server(keys), vectors[0]) + 1
    assert bytes_of(made[0].ciphertexts) == bytes_of(here.ciphertexts)


@needs_ray
def test_exact_integers(two):
    client = rj.Client(rj.bgv(10, q_bits=[40, 40], p_bits=[45], allow_insecure=True), seed=1)
    keys = client.evaluation_keys(rotations=[1])
    values = [np.arange(client.slots) + i for i in range(3)]
    with rj.cluster(keys) as c:
        out = c.map(lambda x: x.rotate(1) + 3 * x, [client.encrypt(v) for v in values])
        assert c.plan(lambda x: x.rotate(1) + 3 * x, 3).items == 3
    for got, v in zip(out, values):
        rows = v.reshape(2, -1)
        assert np.array_equal(client.decrypt(got), (np.roll(rows, -1, axis=1) + 3 * rows).ravel())


@needs_ray
def test_keys_are_stored_once_and_expanded_once_a_node(two, keys, cts, tmp_path):
    data = keys.to_bytes()
    puts = []
    put = ray.put
    ray.put = lambda value: puts.append(getattr(value, "nbytes", 0)) or put(value)
    try:
        path = tmp_path / "keys.rjet"
        path.write_bytes(data)
        for given in (data, path):
            puts.clear()
            with rj.cluster(given, allow_insecure=True) as c:
                for _ in range(3):
                    c.map(lambda x: x * x, cts)
                infos = c.nodes
            assert puts.count(len(data)) == 1 and c.key_bytes == len(data)
            assert len(infos) == 2 and all(isinstance(info, NodeInfo) and info.expansions == 1 for info in infos)
            assert len({info.pid for info in infos}) == 2 and all(info.threads == 1 for info in infos)
            assert all(0 < info.expand_seconds < 10 and info.private_bytes > 0 for info in infos)
    finally:
        ray.put = put


@needs_ray
def test_errors_of_functions_are_typed_and_name_the_item(two, keys, client, cts, tmp_path):
    tries = client.encrypt([0.0], level=4)

    calls = tmp_path / "calls"

    def fails(x):
        if x == 5:
            with calls.open("a") as file:
                file.write("5")
            raise ZeroDivisionError("by zero")
        return x

    class Odd(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a}{b}")
            self.lock = threading.Lock()

    def odd(x):
        raise Odd(1, 2)

    with rj.cluster(keys) as c:
        for batch in (1, 4):
            with pytest.raises(rj.ItemError, match="item 5: ZeroDivisionError: by zero") as e:
                c.map(fails, range(9), batch=batch)
            assert isinstance(e.value, ZeroDivisionError) and e.value.index == 5
            assert type(e.value.__cause__) is ZeroDivisionError and "in fails" in e.value.remote_traceback
        with pytest.raises(rj.MissingRotationKeyError, match="item 0") as e:
            c.map(lambda x: x.rotate(31), [tries])
        assert e.value.rotation == 31
        with pytest.raises(rj.ItemError, match="item 0: RuntimeError: Odd: 12"):
            c.map(odd, [1])
        low = client.encrypt([0.0], level=0)
        for real in (False, True):
            with pytest.raises(rj.LevelExhaustedError, match="item 3") as e:
                c.bootstrap_many([*cts[:3], low], real)
            assert isinstance(e.value, rj.ItemError) and e.value.index == 3
        with pytest.raises(rj.MalformedError, match="item 1"):
            c.bootstrap_many([cts[0], b"nonsense"])
        # on a busy machine Ray may take a node for lost
        assert len(calls.read_text()) <= 2 + c.repeated, "errors of functions are not tried again"
        assert c.map(lambda x: x + 1, [1, 2]) == [2, 3], "the cluster goes on"


@needs_ray
def test_secrets_are_refused(two, client, keys, cts):
    secret = client.to_secret_bytes()
    for wrong in (client, secret, bytearray(secret)):
        with pytest.raises(rj.SecretError):
            rj.cluster(wrong)
    holder = {"deep": [client]}
    with rj.cluster(keys) as c:
        for f in (lambda x: client.decrypt(x), lambda x: secret, lambda x: holder):
            with pytest.raises(rj.SecretError, match="secret") as e:
                c.map(f, cts)
            assert isinstance(e.value, TypeError) and e.value.what
        for items in ([client], [(1, holder)], [secret], [np.frombuffer(secret, dtype=np.uint8)]):
            with pytest.raises(rj.SecretError):
                c.map(lambda x: 1, items)
        with pytest.raises(rj.SecretError):
            c.bootstrap_many([client])
        with pytest.raises(rj.ClusterError, match="cannot be sent"):
            c.map(lambda x, lock=threading.Lock(): x, cts)
    with pytest.raises(rj.InsecureParametersError):
        rj.cluster(keys.to_bytes())
    with pytest.raises(TypeError, match="EvaluationKeys"):
        rj.cluster(7)


def training_of(shard, samples=130, **options):
    rng = np.random.default_rng(3)
    x = np.clip(rng.normal(size=(samples, 20)), -2, 2)
    y = np.where(x @ rng.normal(size=20) + 0.3 > 0, 1.0, -1.0)
    plan = ml.TrainingPlan.make(PARAMS, *x.shape, iterations=4, degree=3, shard=shard, **options)
    client = plan.client(PARAMS, seed=1)
    return plan, client, plan.keys(client), bytes_of(plan.encrypt(client, plan.rows_of(x, y)))


def steps_of(training, state=None):
    return [
        (s.weights.to_bytes(), s.state.v.to_bytes(), s.state.w.to_bytes(), s.factor, s.level, s.left)
        for s in training.run(state)
    ]


@needs_ray
@pytest.mark.parametrize("options", [{"shard": 1}, {"shard": 2, "samples": 450, "batch_size": 300}])
def test_training_has_the_bytes_of_one_process(two, options):
    plan, client, keys, data = training_of(**options)
    assert plan.bootstraps and max(map(len, plan.shards())) > 1
    server = rj.Server(keys)
    expected = steps_of(ml.EncryptedTraining(plan, plan.load(server, data)))
    for count in (1, 2):
        with rj.cluster(keys, max_nodes=count) as c:
            assert len(c.nodes) == count
            if count == 1:
                model = c.train(plan, data)
                assert model.weights.to_bytes() == expected[-1][2]
                continue
            assert steps_of(c.training(plan, data)) == expected
            done = ml.State(1, c.load(expected[0][1]), c.load(expected[0][2]), expected[0][3])
            assert steps_of(c.training(plan, data), done) == expected[1:], "goes on from a state"
            predicted = c.plan(plan)
            assert predicted.nodes == len(c.nodes) and predicted.key_bytes == len(keys.to_bytes())
    del server
    with rj.cluster(keys) as c, pytest.raises(ValueError, match="ciphertexts"):
        c.train(plan, data[1:])


def test_more_than_eight_shards_are_added_in_the_order_of_the_tree():
    from ringjet.ml.training import tree

    for n in range(1, 140):
        level = [f"{i}" for i in range(n)]
        whole = _tree(level)
        while len(level) > 8:
            level = [_tree(level[i : i + 8]) for i in range(0, len(level), 8)]
        assert _tree(level) == whole
    assert tree([1, 3, 5]) == 9


def _tree(parts):
    """The order of additions, as text."""
    from ringjet.ml.training import tree

    class Text(str):
        def __add__(self, other):
            return Text(f"({self} {other})")

    return str(tree([Text(x) for x in parts]))


@needs_ray
def test_a_lost_node_is_survived(two, keys, server, cts, tmp_path):
    """A node is killed while it works; then another one joins and is used."""

    def f(x):
        time.sleep(0.3)
        return x * x

    expected = [(server.load(x) * server.load(x)).to_bytes() for x in cts]
    with rj.cluster(keys) as c:
        before = {info.id for info in c.nodes}

        def show(done, total):
            if done == 2:
                two.kill(two.nodes[-1])

        out = c.map(f, cts, progress=show)
        assert bytes_of(out) == expected and c.repeated >= 1
        survivors = {info.id for info in c.nodes}
        assert len(survivors) == 1 and survivors < before
        two.restore(2)

        def where(server, x):
            time.sleep(0.2)
            return ray.get_runtime_context().get_node_id()

        deadline = time.monotonic() + 20
        while len(used := set(c.map(where, range(12)))) < 2:
            assert time.monotonic() < deadline, "the new node is used"
        assert survivors < used and not used & (before - survivors)
        assert all(info.expansions == 1 for info in c.nodes)


@needs_ray
def test_training_survives_the_loss_of_a_node(two):
    plan, client, keys, data = training_of(1)
    expected = steps_of(ml.EncryptedTraining(plan, plan.load(rj.Server(keys), data)))
    with rj.cluster(keys) as c:
        steps = []
        timer = None
        for step in c.training(plan, data).run():
            steps.append((step.weights.to_bytes(), step.state.w.to_bytes()))
            if step.iteration == 0:
                # during the next iteration
                timer = threading.Timer(0.05, two.kill, [two.nodes[0]])
                timer.start()
        timer.join()
        assert steps == [(s[0], s[2]) for s in expected]
        assert len(c.nodes) == 1


@needs_ray
def test_an_item_that_ends_its_process_is_named(two, keys):
    with rj.cluster(keys, retries=1) as c:
        with pytest.raises(rj.ClusterError, match="item 1: its process ended 2 times"):
            c.map(lambda x: os._exit(1) if x == 1 else time.sleep(0.5), range(2))
        assert c.map(lambda x: x, [3]) == [3], "the nodes get new processes"


@needs_ray
def test_nodes_whose_cores_are_taken_are_left_out(two, keys):
    def hold():
        time.sleep(60)

    taken = [ray.remote(hold).options(num_cpus=1).remote() for _ in range(2)]
    time.sleep(1.0)
    with pytest.raises(rj.ClusterError, match="other work holds the cores"):
        rj.cluster(keys, start_timeout=1.0, wait_for_nodes=1.0)
    for ref in taken:
        ray.cancel(ref, force=True)


@needs_ray
def test_the_estimator_and_the_command_train_on_a_cluster(two, tmp_path, capsys):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 3))
    y = np.where(x[:, 0] + 0.3 * rng.normal(size=80) > 0, "sick", "well")
    settings = {"iterations": 3, "degree": 3, "shard": 1, "seed": 4}
    alone = rj.LogisticRegression(PARAMS, **settings).fit(x, y)
    spread = rj.LogisticRegression(PARAMS, **settings, cluster=two.raylets.address).fit(x, y)
    assert np.array_equal(alone.coef_, spread.coef_)
    assert spread.encrypted_.to_bytes() == alone.encrypted_.to_bytes()
    assert ray.is_initialized(), "the estimator leaves a connection that it found"
    parameters, table = tmp_path / "p.json", tmp_path / "table.csv"
    parameters.write_text(PARAMS.to_json())
    table.write_text("a,b,c,kind\n" + "".join(f"{a},{b},{c},{kind}\n" for (a, b, c), kind in zip(x, y)))
    hashes = []
    for more in (
        [],
        ["--cluster", "auto"],
        ["--cluster", "auto", "--pause-after", "2", "--checkpoint", str(tmp_path / "run")],
    ):
        argv = ["train", "--data", str(table), "--parameters", str(parameters), "--allow-insecure", "--threads", "1"]
        argv += [
            "--iterations",
            "3",
            "--degree",
            "3",
            "--shard",
            "1",
            "--seed",
            "9",
            "--report",
            str(tmp_path / "r.html"),
        ]
        figures = tmp_path / "figures.json"
        assert main([*argv, "--figures", str(figures), *more]) == 0
        if "--pause-after" in more:
            assert "paused after iteration 2" in capsys.readouterr().out
            assert main([*argv, "--figures", str(figures), *more]) == 0
            assert "goes on after iteration 2" in capsys.readouterr().out
        hashes.append(json.loads(figures.read_text())["SHA-256 of the encrypted weights"])
    assert len(set(hashes)) == 1 and re.fullmatch("[0-9a-f]{64}", hashes[0])
    rj.set_threads(0)


@needs_ray
def test_item_errors_can_be_pickled(two, keys):
    with rj.cluster(keys) as c, pytest.raises(rj.ItemError) as e:
        c.map(lambda x: 1 / x, [0])
    copy = pickle.loads(pickle.dumps(e.value))
    assert type(copy) is rj.ItemError and copy.index == 0 and str(copy) == str(e.value)
