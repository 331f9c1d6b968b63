"""What expires, is refused or takes long: it counts until its files are gone, and stays while it comes."""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from serving import digest, head  # noqa: E402
from test_service_storage import client, disk, keys, running, tenant  # noqa: E402, F401

from ringjet.serve import _keys  # noqa: E402


def test_what_expires_counts_until_its_files_are_gone(running, client, keys, tenant, monkeypatch):
    core, x = running.core, client.encrypt([0.5]).to_bytes()
    assert running.ask("PUT", "/v1/data/a", x, token=tenant)[0] == 201
    part = {"Repr-Digest": digest(keys), "Content-Range": f"bytes 0-99/{len(keys)}"}
    assert running.ask("PUT", f"/v1/keys/{client.key_id}", keys[:100], part, token=tenant)[0] == 202
    held = []
    tidy, drop = core.keys.tidy, core.blobs.drop
    monkeypatch.setattr(core.keys, "tidy", lambda: (held.append(core.rooms._held["small"]), tidy()))
    monkeypatch.setattr(core.blobs, "drop", lambda gone: (held.append(core.rooms._held["small"]), drop(gone)))
    with core.database.write() as db:
        for table in ("keys", "uploads", "data"):
            db.exec_driver_sql(f"UPDATE {table} SET expires = 1")
    core.tidy()
    assert held[:2] == [2 * len(keys) + len(x)] * 2 and core.rooms._held == {} and disk(running) == 0


def test_a_refused_upload_counts_until_its_file_is_gone(running, client, keys, tenant, monkeypatch):
    held, unlink = [], Path.unlink

    def record(path: Path, missing_ok: bool = False) -> None:
        if path.parent.name == "uploads":
            held.append(running.core.rooms._held["small"])
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", record)
    part = {"Repr-Digest": digest(keys), "Content-Range": f"bytes 0-99/{len(keys)}"}
    path = f"/v1/keys/{client.key_id}"
    # bytes that are no keys, and an upload that is removed
    assert running.ask("PUT", path, bytes(100), part, token=tenant)[0] == 422
    assert running.ask("PUT", path, keys[:100], part, token=tenant)[0] == 202
    assert running.ask("DELETE", path, token=tenant)[0] == 204
    assert held == [len(keys)] * 2 and running.core.rooms._held == {}


def test_a_part_that_takes_long_keeps_its_upload(running, client, keys, tenant, monkeypatch):
    monkeypatch.setattr(_keys, "TOUCH_EVERY", 0.0)
    path, core = f"/v1/keys/{client.key_id}", running.core
    size = len(keys)

    def expiring(value: float | None = None) -> float:
        with core.database.write() as db:
            if value is not None:
                db.exec_driver_sql(f"UPDATE uploads SET expires = {value}")
            return max((row[0] for row in db.exec_driver_sql("SELECT expires FROM uploads")), default=0.0)

    def received(least: int) -> None:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            found = running.ask("GET", path, token=tenant)[2]
            if found.get("upload", {}).get("received", 0) >= least:
                return
            time.sleep(0.02)
        raise AssertionError(found)

    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(
            head(running, "PUT", path, tenant, Content_Length=size, Repr_Digest=digest(keys)) + keys[:1000]
        )
        received(500)
        expiring(time.time() + 0.5)
        connection.sendall(keys[1000 : size - 1000])
        received(1001)
        assert expiring() > time.time() + 80_000
        core.tidy()
        connection.sendall(keys[size - 1000 :])
        assert b" 201 " in connection.recv(1000)
