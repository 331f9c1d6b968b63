"""What a profile says of a computation: operations, lines, times, levels, memory, and modelled times."""

from __future__ import annotations

import itertools
import json
import re
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet import explicit
from ringjet._ringjet import _weighted_sums

DEVICE = "cpu-ifma-1core"


def line_of(text: str) -> str:
    """The only line of this file that contains `text` outside of this call, as profiles name it."""
    lines = Path(__file__).read_text().splitlines()
    found = [i for i, line in enumerate(lines, 1) if text in line and "line_of" not in line]
    assert len(found) == 1
    return f"test_profile.py:{found[0]}"


def program(x, y):
    z = x * y  # the product
    for _ in range(3):
        z = z.rotate(1)  # three rotations
    return z + x.polynomial([0.5, 0.25, 0.0, 0.125])  # two operations


@pytest.fixture
def inputs(client, server, v, w):
    return server.load(client.encrypt(v)), server.load(client.encrypt(w))


def summed(profile):
    return {(r.where.rpartition("/")[2], r.operation): r.calls for r in profile.rows if not r.steps}


def test_every_operation_is_seen_once_on_its_line(client, server, inputs, v, w):
    with server.profile() as p:
        made = program(*inputs)
    assert np.allclose(client.decrypt(made), np.roll(v * w, -3) + 0.5 + 0.25 * v + 0.125 * v**3, atol=1e-6)
    assert p.modelled_s is None and p.not_modelled is None and p.pricing_error is None
    assert summed(p) == {
        (line_of("# the product"), "product"): 1,
        (line_of("# three rotations"), "rotation"): 3,
        (line_of("# two operations"), "polynomial"): 1,
        (line_of("# two operations"), "sum"): 1,
    }
    assert [o.operation for o in p.operations] == ["product", *["rotation"] * 3, "polynomial", "sum"]
    product, *_, last = p.operations
    top = inputs[0].level
    assert (product.level, product.results, product.slots) == (top - 1, 1, client.slots)
    # two polynomials of as many residues as the level has primes
    assert product.bytes == 2 * top * 2**11 * 8
    assert (last.level, last.scale, last.precision_bits) == (made.level, made.scale, made.precision_bits)
    assert last.noise_budget is None and last.thread == 0


def test_times_add_up_and_steps_nest(server, inputs):
    with server.profile() as p:
        program(*inputs)
    inside = sum(o.seconds for o in p.operations)
    assert 0 < inside <= p.seconds and inside + p.outside_s == pytest.approx(p.seconds, abs=1e-9)
    assert sum(r.seconds for r in p.rows if not r.steps) == pytest.approx(inside)
    ends = [(o.start, o.start + o.seconds) for o in p.operations]
    assert all(end <= start for (_, end), (start, _) in zip(ends, ends[1:], strict=False))
    for o in p.operations:
        assert 0 <= o.start and o.start + o.seconds <= p.seconds + 1e-9
        for s in o.steps:
            assert o.start <= s.start and s.start + s.seconds <= o.start + o.seconds + 1e-9
    product = p.operations[0]
    assert [(s.name, s.depth) for s in product.steps][0] == ("Mult", 0)
    assert {"Tensor", "Relinearize"} <= {s.name for s in product.steps if s.depth == 1}
    steps = [r for r in p.rows if r.steps == ("Rotate",)]
    assert [(r.operation, r.calls, r.levels) for r in steps] == [("rotation", 3, None)]
    with server.profile(depth=0) as flat:
        program(*inputs)
    assert all(o.steps == () for o in flat.operations) and summed(flat) == summed(p)


def test_explicit_operations_are_seen_and_modelled(params, server, inputs, v, w):
    def steps(x, y):
        product = explicit.mul(x, y)
        low = explicit.rescale(explicit.relinearize(product))
        explicit.relinearize_rescale(explicit.add(product, product))
        explicit.rotations(explicit.mul_plain(x, v, 2**40), [1, 2])
        explicit.add_plain(explicit.mul_plain_sum([x, y], [v, w], 2**40), w)
        return explicit.with_scale(low, 2**42)

    model = rj.Server(backend="model", params=params)
    counted = [model.input(), model.input()]
    model.reset_counts()
    steps(*counted)
    steps(*inputs)
    with server.profile(device=DEVICE) as p:
        made = steps(*inputs)
    names = "mul relinearize rescale add relinearize_rescale mul_plain rotations mul_plain_sum add_plain with_scale"
    assert [o.operation for o in p.operations] == [f"explicit.{name}" for name in names.split()]
    assert [o.results for o in p.operations] == [2 if o.operation == "explicit.rotations" else 1 for o in p.operations]
    product, relinearized, rescaled = p.operations[:3]
    top = inputs[0].level
    # three polynomials of one residue more than the level
    assert (product.level, product.bytes, relinearized.bytes) == (
        top,
        3 * (top + 1) * 2**11 * 8,
        product.bytes * 2 // 3,
    )
    assert (rescaled.level, p.operations[-1].scale) == (made.level, 42.0)
    assert {o.where.rpartition(":")[0].rpartition("/")[2] for o in p.operations} == {"test_profile.py"}
    assert ("Relinearize", 0) in {(s.name, s.depth) for s in relinearized.steps}
    assert p.not_modelled == 0 and p.modelled_s == pytest.approx(model.estimate(DEVICE).seconds, rel=1e-6)
    with pytest.raises(rj.LevelMismatchError):
        with server.profile(device=DEVICE) as p:
            explicit.add(inputs[0], explicit.drop_level(inputs[1], 2))
    found = [(o.operation, o.results) for o in p.operations]
    assert found == [("explicit.drop_level", 1), ("explicit.add", None)] and p.not_modelled == 1


def test_programs_have_the_lines_of_their_functions(params, client, server, inputs):
    made = rj.compile(lambda x, y: program(x, y), params, optimise=False)
    with server.profile() as p:
        made.run(server, *inputs)
    assert summed(p)[line_of("# the product"), "product"] == 1
    assert summed(p)[line_of("# three rotations"), "rotation"] == 3
    assert len(p.operations) == len(made._native.operations)


def test_loading_matrices_and_sums_are_seen(client, server, inputs, v):
    matrix = rj.LinearTransform(np.roll(np.eye(client.slots), 1, axis=1))
    data = client.encrypt(v).to_bytes()
    with server.profile() as p:
        x = server.load(data)
        y = matrix @ x
        rj.sum_of_products([x, y], [y, x])
    assert [o.operation for o in p.operations] == ["load", "matrix", "sum of products"]
    # the first product with a matrix encodes it
    assert "Encode" in {s.name for s in p.operations[1].steps}


def test_bootstraps_have_their_phases_and_matrices_a_row():
    chain = {"slots_to_coeffs": [5, 4], "coeffs_to_slots": [5, 4], "special": 4, "log_ratio": 12.0}
    params = rj.bootstrap_chain(log_n=10, message_levels=4, allow_insecure=True, **chain)
    client = rj.Client(params, seed=1)
    server = rj.Server(client.evaluation_keys(bootstrapping=True))
    x = server.load(client.encrypt(np.full(client.slots, 0.1)))
    low = x.to_level(params.bootstrap_input_level)
    with server.profile(device=DEVICE) as p:
        low.bootstrap()
        low.bootstrap(real=True)
    assert [o.operation for o in p.operations] == ["bootstrapping matrices", "bootstrap", "bootstrap"]
    phases = ["ModRaise", "CoeffsToSlots", "EvalMod", "SlotsToCoeffs"]
    rows = {r.steps[1]: r for r in p.rows if len(r.steps) == 2 and r.steps[0] == "Bootstrap"}
    assert set(phases) <= set(rows)
    bootstraps = [r for r in p.rows if r.operation == "bootstrap" and not r.steps]
    assert sum(r.calls for r in bootstraps) == 2 and all(r.modelled_s > 0 for r in bootstraps)
    assert all(r.modelled_s > 0 for r in p.rows if r.steps == ("Bootstrap", "EvalMod"))
    [matrices] = [r for r in p.rows if r.operation == "bootstrapping matrices" and not r.steps]
    assert matrices.modelled_s > 0


def test_modelled_times_are_those_of_the_plan(params, client, server, inputs):
    plan = rj.plan(program, params, device=DEVICE)
    program(*inputs)
    with server.profile(device=DEVICE) as p:
        program(*inputs)
    assert (p.device, p.not_modelled, p.pricing_error) == (DEVICE, 0, None)
    assert p.modelled_s == pytest.approx(plan.estimate.seconds, rel=1e-6)
    assert all(r.modelled_s is not None and r.modelled_s > 0 for r in p.rows if not r.steps)
    assert 0 < p.pricing_s < p.seconds
    assert sum(o.seconds for o in p.operations) + p.outside_s + p.pricing_s == pytest.approx(p.seconds, abs=1e-6)
    assert "modelled" in p.table() and f"modelled for {DEVICE}" in repr(p) and "not modelled" not in repr(p)
    with server.profile() as bare:
        program(*inputs)
    assert bare.modelled_s is None and bare.pricing_s == 0 and "modelled" not in repr(bare)


def test_a_gpu_prices_launches(server, inputs):
    with server.profile(device="h200") as p:
        inputs[0] * inputs[1]
    [row] = [r for r in p.rows if not r.steps]
    assert 0 < row.modelled_s < 1e-3


def test_exact_schemes_have_budgets():
    client = rj.Client(rj.preset("bgv-n13"), seed=1)
    server = rj.Server(client.evaluation_keys())
    x = server.load(client.encrypt([1, 2, 3]))
    with server.profile(device=DEVICE) as p:
        y = x * x
    [o] = p.operations
    assert (o.scale, o.precision_bits, o.noise_budget) == (None, None, y.noise_budget)
    assert p.modelled_s > 0 and json.loads(p.to_json())["operations"][0]["noise_budget"] == y.noise_budget


def test_operations_of_all_threads_are_seen(server, inputs):
    with server.profile() as p:
        others = [threading.Thread(target=lambda: inputs[0].rotate(2)) for _ in range(2)]
        for other in others:
            other.start()
        for other in others:
            other.join()
        inputs[0].rotate(3)
    assert len(p.operations) == 3 and {o.thread for o in p.operations} == {0, 1, 2}
    assert p.outside_s <= p.seconds


def run_all(*works):
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def summing(inputs, call):
    """An operation that calls `call` before it ends."""
    _weighted_sums(inputs, np.full(2, 0.5), np.zeros(1), 1, None, None, lambda done, of: call())


def test_pricing_beside_an_operation_is_not_subtracted_twice(server, inputs):
    begun, ended = threading.Event(), threading.Event()

    def long():
        summing(inputs, lambda: (begun.set(), ended.wait(60)))

    def short():
        begun.wait(60)
        for _ in range(20):
            inputs[0].rotate(1)
        ended.set()

    with server.profile(device=DEVICE) as p:
        run_all(long, short)
    [around] = [o for o in p.operations if o.operation == "weighted sums"]
    within = [o for o in p.operations if o.operation == "rotation"]
    end = around.start + around.seconds
    assert len(within) == 20 and all(around.start <= o.start and o.start + o.seconds <= end for o in within)
    # all that the short thread did, pricing included, was beside the long operation
    [after] = [seconds for start, seconds in p._all.pricing if start >= end]
    assert after < p.pricing_s
    assert p.outside_s == pytest.approx(p.seconds - around.seconds - after, abs=1e-9)


def test_the_wait_for_pricing_is_not_pricing(server, inputs):
    meeting = threading.Barrier(2)

    def work():
        for _ in range(20):
            summing(inputs, lambda: meeting.wait(60))

    with server.profile(device=DEVICE) as p:
        run_all(work, work)
    # both threads end an operation at the same time, and price it one after the other
    assert len(p.operations) == len(p._all.pricing) == 40
    spans = sorted((start, start + seconds) for start, seconds in p._all.pricing)
    assert all(0 <= end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    assert 0 <= spans[0][0] and spans[-1][1] <= p.seconds + 1e-9
    assert p.pricing_s == pytest.approx(sum(end - start for start, end in spans))
    busy = spans + [(o.start, o.start + o.seconds) for o in p.operations]
    times = sorted(time for span in busy for time in span)
    middles = [((a + b) / 2, b - a) for a, b in itertools.pairwise(times)]
    covered = sum(length for at, length in middles if any(start < at < end for start, end in busy))
    assert p.outside_s == pytest.approx(p.seconds - covered, abs=1e-9)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from Linux")
def test_memory_of_operations_side_by_side_counts_once(server, inputs):
    meeting, kept = threading.Barrier(2), []

    def work():
        summing(inputs, fill)

    def fill():
        if meeting.wait(60) == 0:  # both threads are within an operation, and one of them fills memory
            now, most = (status()[name] for name in ("VmRSS", "VmHWM"))
            kept.append(np.ones(most - now + 2**25, np.uint8))
        meeting.wait(60)

    before = status()["VmHWM"]
    with server.profile() as p:
        run_all(work, work)
    rose = status()["VmHWM"] - before
    assert all(o.memory_raised > 2**24 for o in p.operations) and len(p.operations) == 2
    # Linux counts pages of a thread late
    assert 2**24 < p.memory_raised <= rose + 2**20 < sum(o.memory_raised for o in p.operations)


def status():
    """What Linux says of the memory of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return {
        name: 1024 * int(value.split()[0]) for name, value in (line.split(":", 1) for line in lines if "kB" in line)
    }


class Refusing:
    """A server whose cost model refuses products."""

    def __init__(self, server):
        self.server = server

    def __getattr__(self, name):
        return getattr(self.server, name)

    def _end_profile(self):
        *measured, (prices, _) = self.server._end_profile()
        return (*measured, ([price for price in prices if price[1] != "product"], "no such kernel"))


def test_what_the_model_refuses_hides_nothing(server, inputs):
    with server.profile(device=DEVICE) as whole:
        program(*inputs)
    with pytest.raises(rj.MissingRotationKeyError):
        with server.profile(device=DEVICE) as p:
            p._server = Refusing(server)
            program(*inputs)
            inputs[0].rotate(7)
    assert (p.not_modelled, p.pricing_error) == (2, "no such kernel")
    assert len(p.operations) == 7 and p.rows[0].seconds > 0
    [product] = [r for r in whole.rows if r.operation == "product" and not r.steps]
    assert p.modelled_s == pytest.approx(whole.modelled_s - product.modelled_s)
    assert all(r.modelled_s is None for r in p.rows if r.operation == "product")
    assert p.header()[-1] == "2 operation(s) not modelled: no such kernel" and p.header()[-1] in repr(p)
    found = json.loads(p.to_json())
    assert (found["not_modelled"], found["pricing_error"]) == (2, "no such kernel")


def test_what_fails_is_seen_and_the_profile_ends(server, inputs):
    with pytest.raises(rj.MissingRotationKeyError):
        with server.profile(device=DEVICE) as p:
            inputs[0].rotate(7)
    assert [(o.operation, o.results, o.level) for o in p.operations] == [("rotation", None, None)]
    with server.profile() as p:
        pass
    assert p.operations == () and p.rows == () and repr(p).startswith("0 operation(s)")


def test_refusals(params, server, inputs):
    with server.profile() as p:
        with pytest.raises(rj.ArgumentError, match="one profile of a server at a time"):
            with server.profile():
                pass
        inputs[0] + 1
        with pytest.raises(rj.ArgumentError, match="whose block has not ended"):
            _ = p.rows
        assert repr(p) == "Profile(not ended yet)" and "not ended" in p._repr_html_()
    assert len(p.operations) == 1  # the refused profile took nothing from this one
    with pytest.raises(rj.ArgumentError, match="a new one for each block"):
        with p:
            pass
    with pytest.raises(rj.ArgumentError, match="depth = -1: expected 0 or more"):
        server.profile(depth=-1)
    with pytest.raises(rj.DeviceError, match="no-such-device"):
        with server.profile(device="no-such-device"):
            pass
    with pytest.raises(rj.ArgumentError, match="a server that computes"):
        with rj.Server(backend="model", params=params).profile():
            pass
    with server.profile():  # nothing of the refusals is left
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from Linux")
def test_memory_is_that_of_the_process(server, inputs):
    with server.profile() as p:
        inputs[0] * inputs[1]
    most = status()["VmHWM"]
    assert 10**6 < p.memory_bytes <= most and 0 <= p.memory_raised <= most


def test_nothing_is_kept_without_a_profile(server, inputs):
    with server.profile() as p:
        inputs[0] + inputs[1]
    inputs[0] + inputs[1]
    assert len(p.operations) == 1
    with pytest.raises(rj.ArgumentError, match="a profile that has begun"):
        server._end_profile()


def test_a_chrome_trace_has_nested_events(server, inputs, tmp_path):
    with server.profile() as p:
        program(*inputs)
    p.to_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    complete = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    operations = [e for e in complete if e["cat"] == "operation"]
    assert [e["name"] for e in operations] == [o.operation for o in p.operations]
    assert operations[0]["args"]["where"].endswith(line_of("# the product"))
    assert {"process_name", "thread_name"} == {e["name"] for e in trace["traceEvents"] if e["ph"] == "M"}
    open_until: list[int] = []
    for e in complete:  # each lies within the events that are open when it begins
        start, end = round(e["ts"] * 1e3), round((e["ts"] + e["dur"]) * 1e3)
        while open_until and open_until[-1] <= start:
            open_until.pop()
        assert all(end <= other for other in open_until)
        open_until.append(end)
    assert max(len(o.steps) for o in p.operations) > 1


class Page(HTMLParser):
    """The tags of a page, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href", "action", "data")]


def test_a_page_is_self_contained_and_escapes_names(server, inputs, tmp_path):
    source = "def f(x):\n    return x * x\n"
    space: dict[str, object] = {}
    exec(compile(source, str(tmp_path / "<b>&'a.py"), "exec"), space)
    with server.profile(device=DEVICE) as p:
        space["f"](inputs[0])
        inputs[0].rotate(1)
    p.to_html(tmp_path / "profile.html")
    text = (tmp_path / "profile.html").read_text()
    page = Page()
    page.feed(text)
    assert page.loads == [] and not re.search(r"https?:|url\(|@import", text)
    assert {"script", "link", "img", "b"}.isdisjoint(page.tags) and "svg" in page.tags
    assert "&lt;b&gt;&amp;&#x27;a.py:2" in text and "<b>&" not in text + p._repr_html_()
    assert page.tags.count("rect") == 1 + len(p.operations) + sum(len(o.steps) for o in p.operations)
    assert "modelled" in p._repr_html_() and "Rotate" in text


def test_no_value_and_no_key_is_in_it(client, server, tmp_path):
    data = client.encrypt(np.full(client.slots, 0.123456))
    with server.profile(device=DEVICE) as p:
        x = server.load(data)
        (x * 0.987654) * np.full(client.slots, 0.345678)
    p.to_html(tmp_path / "profile.html")
    p.to_chrome_trace(tmp_path / "trace.json")
    written = [p.to_json(), repr(p), *((tmp_path / name).read_text() for name in ("profile.html", "trace.json"))]
    for text in written:
        assert not re.search("\\.(123456|987654|345678)", text) and client.key_id not in text


def test_json_has_the_rows(server, inputs):
    with server.profile() as p:
        program(*inputs)
    found = json.loads(p.to_json())
    assert found["seconds"] == p.seconds and len(found["operations"]) == len(p.operations)
    assert [row["operation"] for row in found["rows"]] == [row.operation for row in p.rows]


def test_tables_leave_out_what_is_short(server, inputs):
    with server.profile() as p:
        program(*inputs)
    lines = p.table(share=0).splitlines()
    assert len(lines) == 1 + len(p.rows) and lines[0].split() == [
        "line",
        "operation",
        "calls",
        "time",
        "share",
        "level",
    ]
    shares = [float(line.split("%")[0].split()[-1]) for line in p.table(share=0.2).splitlines()[1:]]
    assert shares and min(shares) >= 20
