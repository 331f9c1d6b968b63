"""Several parties with one secret."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ringjet as rj
from ringjet import parties

sys.path.insert(0, str(Path(__file__).parent))
import party_worker  # noqa: E402

FULL = bool(os.environ.get("RINGJET_FULL"))
NAMES = list("ABCDEFGHI")


def small(count: int, threshold: int) -> rj.Parameters:
    """A small ring whose scales leave room for noise after a product."""
    return rj.params(10, [60, 58, 58, 58], [60], 58, alpha=1, parties=count, threshold=threshold, allow_insecure=True)


def weighted(x: rj.Ciphertext, y: rj.Ciphertext) -> rj.Ciphertext:
    return x * y + x.rotate(1)


def group(count: int, threshold: int, **options) -> tuple[list[parties.Session], rj.program.Plan]:
    """Parties that have made their keys."""
    params = options.pop("params", None) or small(count, threshold)
    plan = rj.plan(options.pop("function", weighted), params, public_key=True, counts=options.pop("counts", None))
    spec = parties.Spec(params, NAMES[:count], threshold, plans=[plan], **options)
    everybody = [parties.Party(spec, name, seed=bytes([i]) * 32) for i, name in enumerate(spec.names)]
    hellos = [party.hello() for party in everybody]
    for party in everybody:
        party.receive([hello[party.name] for hello in hellos if party.name in hello])
    sessions = [party.session() for party in everybody]
    while not all(session.ready for session in sessions):
        messages = [session.next() for session in sessions]
        for session in sessions:
            session.receive(messages)
    return sessions, plan


@pytest.fixture(scope="module")
def three() -> tuple[list[parties.Session], rj.program.Plan]:
    return group(3, 2)


@pytest.mark.parametrize("count, threshold", [(2, 2), (3, 2), (5, 3)])
def test_any_of_the_threshold_decrypt(count: int, threshold: int) -> None:
    sessions, plan = group(count, threshold)
    rng = np.random.default_rng(count)
    x, y = rng.uniform(-1, 1, (2, 512))
    server = rj.Server(sessions[0].evaluation_keys)
    inputs = [sessions[-1].encrypt(v) for v in (x, y)]
    result = weighted(*[server.load(ct.to_bytes()) for ct in inputs])
    expected = x * y + np.roll(x, -1)
    for session in sessions:
        session.verify(result, weighted, inputs)
    shares = [session.decryption_share(result, plan=plan) for session in sessions]
    found = []
    for first in range(count - threshold + 1):
        found.append(sessions[0].combine(result.to_bytes(), shares[first : first + threshold], 1))
    assert all(np.array_equal(values, found[0]) for values in found)
    assert np.abs(found[0] - expected).max() < 1.0
    with pytest.raises(rj.PartyMissingError) as missing:
        sessions[0].combine(result, shares[: threshold - 1], 1)
    assert missing.value.what == "answer share" and missing.value.pieces
    assert shares == [session.decryption_share(result, plan=plan) for session in sessions]
    assert [session.party.answers_given for session in sessions] == [1] * count


def test_chosen_ones_of_nine_decrypt() -> None:
    sessions, plan = group(9, 3)
    names = [session.party.name for session in sessions]
    x, y = np.random.default_rng(9).uniform(-1, 1, (2, 512))
    server = rj.Server(sessions[0].evaluation_keys)
    result = weighted(*[server.load(sessions[4].encrypt(v).to_bytes()) for v in (x, y)])
    active = ["B", "E", "I"]
    with pytest.raises(rj.PartyMissingError) as missing:
        sessions[1].decryption_share(result, plan=plan, active=active)
    assert missing.value.what == "deal" and missing.value.parties == [n for n in names if n != "B"]
    dealt = {session.party.name: session.deal() for session in sessions}
    for session in sessions:
        mine = [sent[session.party.name] for sent in dealt.values() if session.party.name in sent]
        session.receive_deals(mine)
        session.receive_deals(mine[:1])
    shares = [sessions[names.index(name)].decryption_share(result, plan=plan, active=active) for name in active]
    values = sessions[0].combine(result, shares, 1)
    assert np.abs(values - x * y - np.roll(x, -1)).max() < 1.0
    with pytest.raises(rj.PartyMissingError) as missing:
        sessions[0].combine(result, shares[:2], 1)
    assert missing.value.parties == ["I"]
    with pytest.raises(rj.ActiveSetChangedError) as changed:
        sessions[1].decryption_share(result, plan=plan, active=["A", "B", "C"])
    assert (changed.value.first, changed.value.asked) == (active, ["A", "B", "C"])
    with pytest.raises(rj.ArgumentError, match="A among them"):
        sessions[0].decryption_share(result, plan=plan, active=active)
    low = server.load(sessions[0].encrypt(x).to_bytes())
    low = weighted(low, low)
    fresh = sessions[3].refresh(
        low, [sessions[names.index(name)].refresh_share(low, plan=plan, active=active) for name in active]
    )
    assert fresh.level > low.level


def test_what_a_server_made_of_other_inputs_is_noticed(three) -> None:
    sessions, _ = three
    server = rj.Server(sessions[0].evaluation_keys)
    inputs = [sessions[0].encrypt(np.full(512, v)) for v in (0.5, 0.25)]
    x, y = (server.load(ct.to_bytes()) for ct in inputs)
    honest = weighted(x, y)
    sessions[1].verify(honest.to_bytes(), weighted, [ct.to_bytes() for ct in inputs])
    sessions[1].verify(honest, lambda server, x, y: {"r": weighted(x, y)}, inputs, output="r")
    sessions[1].verify(honest, rj.compile(weighted, small(3, 2), public_key=True), inputs)
    with pytest.raises(rj.ResultMismatchError) as refused:
        sessions[1].verify(honest + 0.001, weighted, inputs)
    assert refused.value.expected != refused.value.found and "Do not answer" in str(refused.value)


def test_answers_follow_the_agreement(three) -> None:
    sessions, plan = three
    ct = sessions[0].encrypt(np.zeros(512))
    params = small(3, 2)
    other = rj.plan(lambda x: x, params, public_key=True)
    with pytest.raises(rj.NotSharableError, match="none of those that the parties agreed on"):
        sessions[0].decryption_share(ct, plan=other)
    with pytest.raises(rj.NotSharableError, match="the plan is for"):
        sessions[0].decryption_share(ct, plan=plan)
    for no_plan in (None, rj.Server(backend="model", params=params).input()):
        with pytest.raises(TypeError, match="ringjet.plan"):
            sessions[0].decryption_share(ct, plan=no_plan)
    with pytest.raises(TypeError):
        sessions[0].decryption_share(3, plan=plan)
    client = rj.Client("n12-depth1", seed=1)
    with pytest.raises(rj.ParameterMismatchError):
        sessions[0].decryption_share(client.encrypt([0.5]), plan=plan)


def test_limits_and_second_ways(three) -> None:
    sessions, plan = group(2, 2, answers=1)
    server = rj.Server(sessions[0].evaluation_keys)
    x, y = (server.load(sessions[0].encrypt(np.full(512, v)).to_bytes()) for v in (0.5, 0.25))
    first, second = weighted(x, y), weighted(y, x)
    sessions[0].decryption_share(first, plan=plan)
    with pytest.raises(rj.AlreadyAnsweredError) as refused:
        sessions[0].refresh_share(first, plan=plan)
    assert refused.value.first == "a decryption" and refused.value.now == "a refresh"
    with pytest.raises(rj.AnswersExhaustedError) as over:
        sessions[0].decryption_share(second, plan=plan)
    assert (over.value.given, over.value.limit) == (1, 1)


def test_a_refresh_goes_on(three) -> None:
    sessions, plan = group(3, 2)
    server = rj.Server(sessions[0].evaluation_keys)
    x = np.random.default_rng(1).uniform(-1, 1, 512)
    loaded = server.load(sessions[0].encrypt(x).to_bytes())
    low = weighted(loaded, loaded)
    shares = [sessions[i].refresh_share(low, plan=plan) for i in (0, 2)]
    fresh = sessions[1].refresh(low, shares)
    assert fresh.level == low.params.top_level > low.level and fresh.count == low.count
    assert sessions[0].refresh(low.to_bytes(), shares).to_bytes() == fresh.to_bytes()
    further = weighted(server.load(fresh.to_bytes()), loaded)
    want = x * x + np.roll(x, -1)
    want = want * x + np.roll(want, -1)
    assert np.isfinite(further.error_bound) and further.level == low.level
    # it has the shape of the plan, whose noise is wide enough for one product; here there were two
    values = sessions[0].combine(further, [sessions[i].decryption_share(further, plan=plan) for i in (0, 1)], 1)
    assert np.abs(values - want).max() < 1.0


def test_exact_integers() -> None:
    params = rj.preset("bgv-n13", parties=3, threshold=2)
    assert params.pieces == 3 and params.depth == 3

    def squares(x: rj.Ciphertext) -> rj.Ciphertext:
        return (x * x).to_level(1)

    sessions, plan = group(3, 2, params=params, function=squares)
    values = np.arange(-4096, 4096)
    server = rj.Server(sessions[0].evaluation_keys)
    result = squares(server.load(sessions[2].encrypt(values).to_bytes()))
    shares = [sessions[i].decryption_share(result, plan=plan) for i in (1, 2)]
    expected = (values * values + 32768) % 65537 - 32768
    assert np.array_equal(sessions[0].combine(result, shares), expected)


def test_agreements_are_checked() -> None:
    params = small(3, 2)
    spec = parties.Spec(params, ["A", "B", "C"], 2, keys={"rotations": [1], "levels": {1: 2}})
    assert (spec.names, spec.threshold, spec.answers, spec.security) == (["A", "B", "C"], 2, 1024, 40)
    assert spec.params == params and len(spec.digest) == 64 and spec.digest[:8] in repr(spec)
    assert spec.digest != parties.Spec(params, ["A", "B", "C"], 2, keys={"rotations": [1]}).digest
    assert spec.digest == parties.Spec(params, ["A", "B", "C"], 2, keys={"levels": {1: 2}, "rotations": [1]}).digest
    with pytest.raises(rj.ArgumentError, match="pieces"):
        parties.Spec(params, ["A", "B"])
    for names in (["A", "A", "B"], ["", "B", "C"], ["x" * 65, "B", "C"], ["A"]):
        with pytest.raises(rj.ArgumentError):
            parties.Spec(params, names, 2)
    with pytest.raises(rj.ArgumentError, match="threshold"):
        rj.preset("n14-depth6", parties=3, threshold=4)
    with pytest.raises(rj.ArgumentError, match="threshold"):
        rj.preset("n14-depth6", threshold=2)
    with pytest.raises(rj.ArgumentError, match="parties"):
        rj.preset("n14-depth6", parties=65)
    with pytest.raises(rj.NoCollectiveBootstrapError):
        rj.preset("n15-boot", parties=2)
    with pytest.raises(rj.SchemeError):
        rj.preset("heaan-n15-q425", parties=2)
    with pytest.raises(rj.SeveralPartiesError) as refused:
        rj.Client(params)
    assert refused.value.pieces == 3 and "parties.Party(" in str(refused.value)
    with pytest.raises(TypeError, match="ringjet.plan"):
        parties.Spec(params, ["A", "B", "C"], 2, plans=[weighted])
    assert parties.Spec("n14-share-depth2", ["A", "B", "C"], 2).params.pieces == 3
    for answers in (0, 2**18 + 1):
        with pytest.raises(rj.ArgumentError, match="answers"):
            parties.Spec(params, ["A", "B", "C"], 2, answers=answers)
    with pytest.raises(rj.ArgumentError, match="levels"):
        parties.Spec(params, ["A", "B", "C"], 2, keys={"rotations": [1], "levels": {2: 1}})
    assert rj.preset("n14-share-depth2", parties=3, threshold=2).pieces == 3
    assert rj.preset("n14-share-depth2", parties=5, threshold=3).pieces == 10
    again = rj.Parameters.from_json(params.to_json(), allow_insecure=True)
    assert again == params and "3 pieces" in repr(params)


def test_secrets_stay(tmp_path: Path) -> None:
    params = small(3, 2)
    spec = parties.Spec(params, ["A", "B", "C"], 2)
    party = parties.Party(spec, "A", path=tmp_path / "a.party")
    assert (tmp_path / "a.party").stat().st_mode & 0o777 == 0o600
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickled"):
            copied(party)
    assert "not shown" in repr(party)
    with pytest.raises(rj.StreamError, match="another process"):
        parties.Party(spec, "A", path=tmp_path / "a.party")
    with pytest.raises(rj.PartyMissingError):
        party.session()
    with pytest.raises(rj.ArgumentError, match="seed"):
        parties.Party(spec, "B", path=tmp_path / "b.party", seed=bytes(32))
    # no type of a server takes the bytes of a party, and a party takes no others
    secret = (tmp_path / "a.party").read_bytes()
    for loads in (rj.EvaluationKeys.from_bytes, rj.PublicKey.from_bytes, rj.Client.from_secret_bytes, rj.Server):
        with pytest.raises(rj.MalformedError):
            loads(secret)
    del party
    loaded = parties.Party.load(tmp_path / "a.party", allow_insecure=True)
    assert (loaded.name, loaded.spec.digest, loaded.answers_given) == ("A", spec.digest, 0)
    del loaded
    with pytest.raises(rj.InsecureParametersError):
        parties.Party.load(tmp_path / "a.party")
    os.chmod(tmp_path / "a.party", 0o644)
    with pytest.warns(UserWarning, match="others may read"):
        parties.Party(spec, "A", path=tmp_path / "a.party")


def test_a_party_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Three processes, killed at random moments and started again: what was said is said again, and no
    ciphertext is ever answered in two ways."""
    seed = int(time.time())
    print(f"seed {seed}")
    chooses = random.Random(seed)
    kills = 50 if FULL else 9
    folder, done, round_ = tmp_path, 0, 0

    def start(name: str, number: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, party_worker.__file__, str(folder), name, str(number)]
        return subprocess.Popen(command, stderr=subprocess.PIPE)

    longest = 1.0
    while done < kills or round_ == 0:
        round_ += 1
        folder = tmp_path / str(round_)
        folder.mkdir()
        running = {name: start(name, seed) for name in party_worker.NAMES}
        begun = time.monotonic()
        while running:
            if done < kills:
                time.sleep(chooses.uniform(0, longest))
                name = chooses.choice(list(running))
                child = running.pop(name)
                child.kill()
                text = child.communicate()[1].decode()
                assert child.returncode in (0, -9), text
                done += 1
                if not (folder / f"done-{name}").exists():
                    running[name] = start(name, seed + done)
            for name, child in list(running.items()):
                if child.poll() is not None:
                    text = child.communicate()[1].decode()
                    assert child.returncode == 0 and (folder / f"done-{name}").exists(), text
                    del running[name]
            time.sleep(0.01)
            assert time.monotonic() - begun < 600
        longest = max(0.2, (time.monotonic() - begun) / 4)
        sent = [path.name.split("-") for path in folder.glob("share-*")]
        answered = {(number, name) for _, number, name, _ in sent}
        assert len(sent) == len(answered) == 3 * party_worker.COUNT, sent
        for number in range(party_worker.COUNT):
            _check(folder, number)
    print(f"{done} kills in {round_} rounds")


def _check(folder: Path, number: int) -> None:
    """What two parties with the same width decrypt is what was encrypted."""
    spec, _ = party_worker.agreement()
    loaded = parties.Party.load(folder / "A.party", allow_insecure=True)
    assert loaded.spec.digest == spec.digest and loaded.answers_given == party_worker.COUNT
    session = loaded.session()
    ct = (folder / f"ciphertext-{number}").read_bytes()
    shares = [path.read_bytes() for path in sorted(folder.glob(f"share-{number}-*"))]
    found = None
    for i in range(3):
        try:
            found = session.combine(ct, [shares[i], shares[(i + 1) % 3]], 3)
        except rj.TranscriptMismatchError:  # the two chose other plans
            continue
    # of three choices between two plans, two are the same
    assert found is not None and np.abs(found - number - 0.5).max() < 0.25
