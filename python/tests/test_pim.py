"""Processors in memory, emulated: the same bytes as on a CPU, counts, and refusals that say what to do."""

import numpy as np
import pytest
import ringjet as rj


@pytest.fixture(scope="module")
def narrow():
    """Parameters with primes of at most 30 bits, a client, and keys as bytes."""
    params = rj.bgv(11, t=12289, q_bits=[29, 28, 28, 28], p_bits=[29, 29], allow_insecure=True)
    client = rj.Client(params, seed=37)
    return client, client.evaluation_keys(rotations=[1]).to_bytes()


def test_a_program_has_the_bytes_of_the_cpu(narrow):
    client, keys = narrow
    values = np.random.default_rng(37).integers(-60, 60, size=2048)
    data = client.encrypt(values).to_bytes()

    def program(backend):
        server = rj.Server(keys, backend=backend, allow_insecure=True)
        x = server.load(data)
        assert server.backend == x.backend
        return ((x * x + x.rotate(1)) * 3 - x).to_bytes(), server

    on_cpu, _ = program("cpu")
    on_dpus, server = program("pim-emulated")
    assert on_cpu == on_dpus
    shifted = np.concatenate([np.roll(half, -1) for half in np.split(values, 2)])
    expected = (3 * (values * values + shifted) - values + 6144) % 12289 - 6144
    assert np.array_equal(client.decrypt(on_dpus), expected)
    before = server.pim_traffic()
    assert before.launches > 0 and before.cycles > 0 and before.to_dpus > 0 and before.from_dpus > 0
    assert before.seconds(400) == before.cycles / 400e6 < before.seconds()
    program("pim-emulated")  # on the same processors
    after = server.pim_traffic()
    assert after.launches > before.launches and after.cycles > before.cycles


def test_only_processors_in_memory_have_their_counts(narrow):
    _, keys = narrow
    server = rj.Server(keys, backend="cpu", allow_insecure=True)
    with pytest.raises(rj.ArgumentError, match="pim or pim-emulated"):
        server.pim_traffic()


def test_wide_primes_are_refused():
    params = rj.bgv(11, t=12289, q_bits=[40, 40], p_bits=[40], allow_insecure=True)
    keys = rj.Client(params, seed=1).evaluation_keys()
    with pytest.raises(rj.BackendError, match="4 bytes, for primes of up to 31 bits, and these have 40: use smaller"):
        rj.Server(keys, backend="pim-emulated", allow_insecure=True)


def test_what_is_missing_is_named(narrow, monkeypatch):
    _, keys = narrow
    monkeypatch.setenv("RINGJET_UPMEM_LIB", "/no/such/libdpu.so")
    assert "pim" not in rj.backends()
    with pytest.raises(rj.BackendError, match='no UPMEM library "/no/such/libdpu.so".*RINGJET_UPMEM_LIB'):
        rj.Server(keys, backend="pim", allow_insecure=True)
    for value in ("0", "many", "65537"):
        monkeypatch.setenv("RINGJET_PIM_DPUS", value)
        with pytest.raises(rj.BackendError, match=f'RINGJET_PIM_DPUS = "{value}": a number from 1 to 65536'):
            rj.Server(keys, backend="pim-emulated", threads=7, allow_insecure=True)  # not one that is open
