"""Times what one of three parties does in each round, in the lines of bench/peers.

    .venv/bin/python bench/parties/ours.py --json --threads 1

All three decrypt (n of n, so that each party holds one piece), as in the other library. The keys are the public key, a
relinearisation key and four rotation keys. The results of all rounds are decrypted and compared before they count.
"""

import argparse
import json
import time
from statistics import median

import numpy as np
import ringjet as rj
from ringjet import parties

PRESET, PARTIES, ROTATIONS = "n15-share-depth5", 3, [1, 2, 4, 8]


def program(x, y):
    """The result that is decrypted, at level 1."""
    return (x * y).rotate(1).to_level(1)


def times(rounds):
    """Seconds of each round, for each repetition."""
    params = rj.preset(PRESET, parties=PARTIES)
    plan = rj.plan(program, params, public_key=True)
    spec = parties.Spec(params, ["A", "B", "C"], plans=[plan], keys={"rotations": ROTATIONS})
    found = {}

    def timed(name, work):
        begun = time.perf_counter()
        made = work()
        found.setdefault(name, []).append(time.perf_counter() - begun)
        return made

    rng = np.random.default_rng(1)
    for _ in range(rounds):
        everybody = [parties.Party(spec, name) for name in spec.names]
        hellos = [party.hello() for party in everybody]
        for party in everybody:
            party.receive([hello[party.name] for hello in hellos if party.name in hello])
        sessions = [party.session() for party in everybody]
        for make, take in (("keys1_share", None), (None, "keys1_sum"), ("keys2_share", "keys2_sum")):
            first, *others = sessions
            sent = [timed(make, first.next) if make else first.next(), *[session.next() for session in others]]
            timed(take, lambda: first.receive(sent)) if take else first.receive(sent)
            for session in others:
                session.receive(sent)
        server = rj.Server(sessions[0].evaluation_keys)
        x, y = rng.uniform(-1, 1, (2, params.slots))
        result = program(*[server.load(sessions[0].encrypt(v).to_bytes()) for v in (x, y)])
        want = np.roll(x * y, -1)
        shares = [timed("decrypt_share", lambda s=s: s.decryption_share(result, plan=plan)) for s in sessions]
        got = timed("decrypt_sum", lambda: sessions[0].combine(result, shares, 16))
        assert np.abs(got - want).max() < 2**-15
        low = program(*[server.load(sessions[0].encrypt(v).to_bytes()) for v in (x, y)])
        shares = [timed("refresh_share", lambda s=s: s.refresh_share(low, plan=plan)) for s in sessions]
        fresh = timed("refresh_sum", lambda: sessions[0].refresh(low, shares))
        again = server.load(fresh.to_bytes()).to_level(1)
        shares = [s.decryption_share(again, plan=plan) for s in sessions]
        assert fresh.level == params.top_level
        assert np.abs(sessions[0].combine(again, shares, 16) - want).max() < 2**-15
    return params, found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--json", action="store_true")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--reps", type=int, default=5)
    args = p.parse_args()
    rj.set_threads(args.threads)
    params, found = times(args.reps)
    shape = f"n{params.log_n} l{len(params.q)} k{len(params.p)} parties{PARTIES}"
    for name, all_ in found.items():
        record = {"bench": name, "backend": f"ringjet-{rj.__version__}", "params": shape, "threads": args.threads}
        record |= {"unit": "s", "min": min(all_), "median": median(all_), "n": len(all_)}
        print(json.dumps(record) if args.json else f"{name:16} {median(all_) * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
