"""`ringjet train`: from data to a report, with and without interruption."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Reference
from sklearn.metrics import roc_auc_score

import ringjet as rj
from ringjet.__main__ import main
from ringjet._train import data, report


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """A file with parameters of a small ring that can bootstrap."""
    chain = {
        "log_ratio": 12.0,
        "special": 4,
        "slots_to_coeffs": [5, 5],
        "coeffs_to_slots": [5, 5],
        "allow_insecure": True,
    }
    path = tmp_path_factory.mktemp("parameters") / "small.json"
    path.write_text(rj.bootstrap_chain(log_n=11, message_levels=9, **chain).to_json())
    return path


@pytest.fixture(autouse=True)
def threads():
    before = rj.threads()
    yield
    rj.set_threads(before)


@pytest.fixture
def table(tmp_path) -> Path:
    """A CSV file with column names."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 3)) * [1, 10, 0.1]
    y = np.where(x @ [1, 0.1, 5] + 0.3 * rng.normal(size=80) > 0, "sick", "well")
    lines = ["age,kind,dose,size", *(f"{a},{label},{b},{c}" for (a, b, c), label in zip(x, y))]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def train(*arguments):
    return main(["train", "--threads", "1", *map(str, arguments)])


def test_breast_cancer(small, tmp_path, capsys):
    out, record = tmp_path / "out" / "report.html", tmp_path / "record.json"
    assert (
        train(
            "--data",
            "breast-cancer",
            "--parameters",
            small,
            "--allow-insecure",
            "--iterations",
            8,
            "--report",
            out,
            "--figures",
            record,
        )
        == 0
    )
    text = capsys.readouterr().out
    assert "456 training and 113 test samples" in text and text.count("weights differ by") == 8
    assert len(re.findall(r"bootstrap +[\d.]+ s  ", text)) == 6
    held_out = re.search(r"accuracy, held out\s+([\d.]+)%\s+([\d.]+)%\s+([\d.]+)%", text)
    assert held_out is not None and held_out[1] == held_out[2] and float(held_out[1]) > 93
    difference = re.search(r"largest weight difference.*?([\d.e-]+)\n", text)
    assert difference is not None and float(difference[1]) < 2e-5
    assert "naming the commoner class always" in text and "for the owner of the key" in " ".join(text.split())
    figures = json.loads(record.read_text())
    assert figures["shared"] is False and figures["assumptions_left"] == ""
    assert figures["settings"]["degree"] == 15 and figures["settings"]["iterations"] == 8
    assert len(figures["iteration_seconds"]) == 7 and len(figures["bootstrap_seconds"]) == 6
    accuracies = figures["measures"]["accuracy, held out"]
    assert f"{accuracies['encrypted']:.2%}" == f"{float(held_out[1]):.2f}%" and len(accuracies) == 3
    assert figures["sizes"]["training data sent"] > 0 and f"{figures['weight_difference']:.1e}" == difference[1]
    html = out.read_text()
    assert "<svg" in html and "not secure" in html and "for the owner of the key" in html and "breast-cancer" in html
    for part in ("Results", "Facts", "Phases", "Iterations", "converged", "SHA-256", "evaluation keys sent"):
        assert part in html


def test_a_resumed_run_ends_with_the_same_bytes(small, table, tmp_path, capsys):
    common = [
        "--data",
        table,
        "--label",
        "kind",
        "--parameters",
        small,
        "--allow-insecure",
        "--iterations",
        7,
        "--report",
        tmp_path / "r.html",
    ]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert train(*common, "--seed", 5, "--weights", whole) == 0
    resumed = [*common, "--seed", 5, "--checkpoint", tmp_path / "run", "--weights", parts]
    for _ in range(3):
        assert train(*resumed, "--pause-after", 2) == 0
        assert not parts.exists()
    assert "paused after iteration 6" in capsys.readouterr().out
    assert train(*resumed, "--key-memory", "compressed") == 0
    assert "goes on after iteration 6" in capsys.readouterr().out
    assert parts.read_bytes() == whole.read_bytes()
    assert train(*resumed) == 0, "a finished run makes its report again"
    assert parts.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "run.secret").exists(), "a number needs no file"


def test_checkpoints_belong_to_their_run(small, table, tmp_path, capsys):
    run, secret = tmp_path / "run", tmp_path / "run.secret"
    common = [
        "--parameters",
        small,
        "--allow-insecure",
        "--checkpoint",
        run,
        "--report",
        tmp_path / "r.html",
        "--iterations",
        3,
    ]
    mine = [*common, "--data", table, "--label", "1"]
    assert train(*mine, "--pause-after", 1) == 0
    assert secret.stat().st_mode & 0o777 == 0o600 and len(secret.read_bytes()) == 32
    assert secret.read_bytes() not in run.read_bytes()
    for other in (["--data", "breast-cancer"], [*mine[-4:], "--degree", 5]):
        assert train(*common, *other) == 1
        assert "other data or settings" in capsys.readouterr().err
    first = secret.read_bytes()
    assert train(*mine) == 0 and secret.read_bytes() == first
    secret.unlink()
    assert train(*mine) == 1 and "run.secret is missing" in capsys.readouterr().err
    run.unlink()
    assert train(*mine, "--pause-after", 1) == 0 and secret.read_bytes() != first, "a new run has a new secret"
    run.write_bytes(b"PK\x03\x04junk")
    assert train(*mine) == 1 and "no checkpoint" in capsys.readouterr().err
    run.write_bytes(b"junk")
    assert train(*mine) == 1 and "no checkpoint" in capsys.readouterr().err


def _zip(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, content in members.items():
            out.writestr(name, content)


def test_changed_checkpoints_are_refused(small, table, tmp_path, capsys):
    run = tmp_path / "run"
    common = [
        "--parameters",
        small,
        "--allow-insecure",
        "--checkpoint",
        run,
        "--report",
        tmp_path / "r.html",
        "--iterations",
        4,
        "--seed",
        3,
    ]
    mine = [*common, "--data", table, "--label", "kind"]
    assert train(*mine, "--pause-after", 2) == 0
    good = run.read_bytes()
    with zipfile.ZipFile(run) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    fields = json.loads(members["run.json"])
    assert fields["done"] == 2

    def changed(**new):
        return {**members, "run.json": json.dumps({**fields, **new}).encode()}

    def error() -> str:
        capsys.readouterr()
        assert train(*mine) == 1
        err: str = capsys.readouterr().err
        assert len(err.splitlines()) == 1 and str(run) in err
        return err

    lower = changed(done=1)
    for parts in (lower, changed(done=-1), changed(done="2"), changed(factor=2.0), {**members, "w": members["v"]}):
        _zip(run, parts)
        assert "changed or damaged" in error()
    del lower["weights/1"]
    _zip(run, lower)
    assert "changed or damaged" in error()
    _zip(run, changed(format=1))
    assert "has format 1" in error()
    missing = {name: content for name, content in members.items() if name != "seal"}
    nested = b"[" * 100_000
    for parts in (
        {},
        missing,
        {**members, "run.json": b"[]"},
        {**members, "run.json": b"\xff"},
        {**members, "run.json": nested},
    ):
        _zip(run, parts)
        assert "no checkpoint" in error()
    _zip(run, {**members, "v": bytes(1 << 20)}, zipfile.ZIP_DEFLATED)
    assert "compressed" in error()
    # flips a bit in each part, and in the directory at the end of the file; a bit of a date would
    # not be noticed
    for at in [good.index(content) + len(content) // 2 for content in members.values()] + [len(good) - 10]:
        run.write_bytes(good[:at] + bytes([good[at] ^ 16]) + good[at + 1 :])
        error()
    run.write_bytes(good[:-100])
    error()
    run.write_bytes(good)
    assert train(*mine) == 0 and "goes on after iteration 2" in capsys.readouterr().out


def test_interruption(small, tmp_path):
    command = [
        sys.executable,
        "-m",
        "ringjet",
        "train",
        "--data",
        "breast-cancer",
        "--parameters",
        str(small),
        "--allow-insecure",
    ]
    command += ["--threads", "1"]
    command += ["--iterations", "400", "--checkpoint", str(tmp_path / "run"), "--report", str(tmp_path / "r.html")]
    start = (
        "import signal, runpy, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.argv = sys.argv[1:]; "
    )
    start += "runpy.run_module('ringjet', run_name='__main__')"
    child = subprocess.Popen(
        [sys.executable, "-c", start, *command[2:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        for line in child.stdout:
            if " 5/400" in line:
                break
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = child.communicate(timeout=30)
        assert child.returncode == 130 and "goes on after the last iteration" in err
        assert time.monotonic() - began < 10
    finally:
        child.kill()
        child.wait()
    again = subprocess.run([*command, "--pause-after", "1"], capture_output=True, text=True, timeout=60, check=True)
    assert re.search(r"goes on after iteration (\d+)", again.stdout)


def test_dry_run(tmp_path, capsys):
    arguments = ["--data", "breast-cancer", "--iterations", 30, "--checkpoint", tmp_path / "run", "--dry-run"]
    assert train(*arguments) == 0
    text = capsys.readouterr().out
    assert "30 iterations, 14 bootstraps of 32 slots, 1 ciphertexts" in text and "14 bootstrap(s)\n" in text
    assert re.search(r"^level \d+, scale 2\^", text, re.M) and "bootstrapping [32]" in text
    assert not list(tmp_path.iterdir())


def test_what_is_refused(small, table, tmp_path, capsys):
    cases = [
        (["--data", tmp_path / "none.csv"], "no data set is called so"),
        (["--data", table, "--label", "colour"], "no column 'colour'; there are age, kind, dose, size"),
        (["--data", table], "is no number"),
        (["--data", table, "--label", "kind", "--preset", "n13"], "no preset"),
        (["--data", table, "--label", "kind", "--test-fraction", 2], "between 0 and 1"),
        (["--data", table, "--label", "kind", "--test-fraction", "nan"], "between 0 and 1"),
        (["--data", table, "--label", "kind", "--threads", -1], "--threads -1: a whole number from 0"),
        (["--data", table, "--label", "kind", "--threads", 10**30], "a whole number from 0 to 4096"),
        (["--data", table, "--label", "kind", "--seed", -1], "--seed -1: a whole number from 0"),
        (["--data", table, "--label", "kind", "--seed", 2**64], "a whole number from 0"),
        (["--data", table, "--label", "kind", "--split-seed", -1], "--split-seed -1"),
        (["--data", table, "--label", "kind", "--pause-after", 0], "--pause-after 0"),
        (["--data", table, "--label", "kind", "--clip", -1], "clip = -1.0: a positive number"),
        (["--data", table, "--label", "kind", "--clip", "nan"], "clip = nan"),
        (["--data", table, "--label", "kind", "--l2", "nan"], "l2 = nan: a finite number, 0 or more"),
        (["--data", table, "--label", "kind", "--l2", -1], "l2 = -1.0"),
        (["--data", table, "--label", "kind", "--bound", "inf"], "bound = inf: a finite positive number"),
        (["--data", table, "--label", "kind", "--learning-rate", 0], "learning_rate = 0.0"),
        (["--data", table, "--label", "kind", "--decay", "nan"], "decay = nan"),
        (["--data", table, "--label", "kind", "--batch-size", 0], "batch_size = 0"),
        (["--data", table, "--label", "kind", "--preset", "n14-depth6"], "enough for 1"),
    ]
    for arguments, expected in cases:
        assert train(*arguments) == 1
        err = capsys.readouterr().err
        assert expected in err and len(err.splitlines()) == 1
    with pytest.raises(SystemExit) as e:
        train("--data", table, "--degree", 4)
    assert e.value.code == 2


def test_tables(table, tmp_path):
    d = data.load(str(table), "kind", 0.25, 0)
    assert d.x_train.shape[1] == 3 and len(d.x_train) + len(d.x_test) == 80 and set(d.y_test) == {"sick", "well"}
    plain = tmp_path / "plain.csv"
    plain.write_text("".join(f"{i},{i % 7},{i % 2}\n" for i in range(30)))
    assert len(data.load(str(plain), None, 0.2, 0).x_train) == 24, "no line of names"
    for text, message in [
        ("1,2,0\n1,2\n", "row 2: 2 columns"),
        ("1,2,0\n1,x,1\n", "row 2, column 2"),
        ("1,2,0\n1,nan,1\n", "row 2, column 2"),
        ("a\n1\n", "at least one feature"),
        ("1,0\n2,1\n3,2\n", "3 different labels"),
        ("1,0\n2,1\n", "too few"),
    ]:
        plain.write_text(text)
        with pytest.raises(data.DataError, match=message):
            data.load(str(plain), None, 0.2, 0)


def test_measures():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 5))
    y = np.where(x[:, 0] + 0.5 * x[:, 1] + rng.normal(size=200) > 0.1, 1.0, -1.0)
    w = data.converged(x, y, 0.01)
    reference = Reference(C=1 / (0.01 * 200), tol=1e-8, max_iter=1000).fit(x, y)
    assert np.max(np.abs(w[1:] - reference.coef_[0])) < 0.02, "scikit-learn's does not penalise the constant"
    assert data.auc(x, y, w) == pytest.approx(roc_auc_score(y, data.scores(x, w)))
    assert data.auc(x, y, np.zeros(6)) == 0.5 and data.loss(x, y, np.zeros(6)) == pytest.approx(np.log(2))
    assert data.accuracy(x, y, w) == reference.score(x, y) or abs(data.accuracy(x, y, w) - reference.score(x, y)) < 0.02


def test_a_plot_without_matplotlib(monkeypatch):
    curves = [
        report.Curve("loss <1>", [0.5, 0.3, float("nan")], [0.5, 0.3, 0.2], 0.1),
        report.Curve("accuracy", [1.0], [1.0], 1.0),
    ]
    for svg in (report.drawn(curves), report.plot(curves)):
        root = ET.fromstring(svg)
        assert root.tag.endswith("svg") and len(svg) < 200_000
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert report.plot(curves) == report.drawn(curves)
    assert "loss &lt;1&gt;" in report.drawn(curves) and report.drawn(curves).count("<polyline") == 4
