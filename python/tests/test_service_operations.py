"""What docs/running-a-service.md says: backups, versions of the database; and the status page in a browser."""

from __future__ import annotations

import html
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from ringjet.__main__ import main

sys.path.insert(0, str(Path(__file__).parent))
from serving import PARAMS, Process, Running  # noqa: E402

# after the check of packages
from ringjet.serve import _tables
from ringjet.serve._tables import VERSION, Database, select


def test_a_backup_is_a_copy_of_the_folder(tmp_path):
    process = Process(tmp_path / "ringjet-service")
    token = process.token
    client = process.connect(secrets=tmp_path / "secrets")
    job = client.submit("slow", [0.25])
    job.wait(30)
    stored = client.store("kept", client._client(PARAMS.fingerprint, None).encrypt([0.5]))
    process.kill(signal.SIGTERM)
    subprocess.run(["cp", "-a", "ringjet-service", "ringjet-service.bak"], cwd=tmp_path, check=True)
    shutil.rmtree(tmp_path / "ringjet-service")
    subprocess.run(["mv", "ringjet-service.bak", "ringjet-service"], cwd=tmp_path, check=True)

    again = Process(tmp_path / "ringjet-service")
    try:
        assert again.token is None, "the tokens are there"
        again.token = token
        client = again.connect(secrets=tmp_path / "secrets")
        assert abs(client.job(job.id).result()[0] - 0.5) < 1e-6
        assert again.ask("GET", f"/v1/keys/{client.key_id('slow')}")[2]["state"] == "ready"
        assert abs(client.call("slow", stored)[0] - 1) < 1e-6
    finally:
        again.kill()


def test_a_database_of_another_version_is_refused_and_not_changed(tmp_path, capsys):
    Database.of(tmp_path, None).close()
    database = Database.of(tmp_path, None)
    with database.write() as db:
        # the other version has other tables
        for statement in ("UPDATE about SET version = 99", "DROP TABLE letters", "CREATE TABLE others (a INTEGER)"):
            db.exec_driver_sql(statement)
    database.close()

    def tables() -> list[tuple[str, str]]:
        with closing(sqlite3.connect(tmp_path / "ringjet.db")) as db:
            return sorted(db.execute("SELECT name, sql FROM sqlite_master").fetchall(), key=str)

    before = tables()
    assert main(["serve", "token", "list", "--folder", str(tmp_path)]) == 1
    expected = f"tables of version 99, and this ringjet those of version {VERSION}"
    assert expected in capsys.readouterr().err
    assert tables() == before and "letters" not in dict(before)


def test_processes_may_make_a_database_at_once(tmp_path):
    count = 6
    start, failed = threading.Barrier(count), []

    def open_it(folder: Path) -> None:
        start.wait()
        try:
            Database.of(folder, None).close()
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        threads = [threading.Thread(target=open_it, args=(folder,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        with closing(sqlite3.connect(folder / "ringjet.db")) as db:
            assert db.execute("SELECT version FROM about").fetchall() == [(VERSION,)]


def test_another_process_may_state_the_version_first(tmp_path, monkeypatch):
    """The row is there when this process writes its own, but was not when it looked."""
    Database.of(tmp_path, None).close()
    with monkeypatch.context() as patch:
        patch.setattr(_tables, "select", lambda column: select(column).where(column < 0))
        Database.of(tmp_path, None).close()
    with closing(sqlite3.connect(tmp_path / "ringjet.db")) as db:
        assert db.execute("SELECT version FROM about").fetchall() == [(VERSION,)]


def test_the_status_page_fits_its_window(tmp_path):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no browser: none of chromium, chromium-browser, google-chrome is there")
    running, widths = Running(tmp_path / "service"), (390, 1280)
    try:
        token = running.core.access.add("a-tenant-with-a-very-long-name-0123456789-0123456789-0123456789")
        with running.connect(token) as client:
            client.prepare("score")
        page = running.ask("GET", "/")[2].decode()
    finally:
        running.stop()
    assert "overflow-x" not in page, "tables are not scrolled, either"
    # the page may not run scripts, and browsers have a least width of windows: frames have any, and so high a
    # frame needs no bar for scrolling
    measured = "[...document.querySelectorAll('iframe')].map((f) => f.contentDocument.documentElement.scrollWidth)"
    script = f"<script>onload = () => {{ document.title = {measured} }}</script>"
    source = html.escape(page)
    frames = [f'<iframe style="width: {w}px; height: 9000px; border: 0" srcdoc="{source}"></iframe>' for w in widths]
    (tmp_path / "page.html").write_text(f"<!doctype html><title></title>{script}{''.join(frames)}")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", (tmp_path / "page.html").as_uri()]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout.split("<title>")[1].split("</title>")[0] == "390,1280"
