"""The report of a compiled model, and its measured profile."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import ringjet as rj
from ringjet.ml.models._plots import Activity, activities, bars

pytest.importorskip("sklearn")

from sklearn import datasets, naive_bayes, neural_network, tree
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler


class Page(HTMLParser):
    """The rows of tables by their titles, the tags, and everything that is loaded from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.links, self.words = {}, [], [], []
        self._title, self._in = "", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src", "data", "action")]
        self._in = tag
        if tag == "table":
            self.tables[self._title] = []
        elif tag == "tr":
            self.tables[self._title].append([])
        elif tag in ("td", "th"):
            self.tables[self._title][-1].append("")

    def handle_data(self, data):
        if self._in in ("td", "th"):
            self.tables[self._title][-1][-1] += data
        elif self._in == "h2":
            self._title = data
        self.words.append(data)

    def handle_endtag(self, tag):
        self._in = None


@pytest.fixture(scope="module")
def wine():
    x, y = datasets.load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order], y[order]
    network = neural_network.MLPClassifier((6, 5), activation="tanh", max_iter=800, random_state=0)
    return make_pipeline(MinMaxScaler(), network).fit(x[:120], y[:120]), x, y


@pytest.mark.parametrize("batch", [None, 1])
def test_report(wine, batch, tmp_path):
    model, x, y = wine
    compiled = rj.ml.compile(model, x[:120], batch=batch)
    trial = compiled.report(tmp_path / "report.html", x[120:], y[120:])
    assert trial.agreement >= 0.9
    text = (tmp_path / "report.html").read_text()
    page = Page(text)
    assert page.links == [] and "script" not in page.tags and "url(" not in text and "@import" not in text
    assert set(re.findall(r"https?://[^'\" ]*", text)) == {"http://www.w3.org/2000/svg"}
    (found,) = page.tables["Agreement with the original model"][1:]
    assert found == ["58", f"{trial.agreement:.4f}", f"{trial.accuracy:.4f}", f"{trial.outside:.3%}"]
    layers = page.tables["Layers"]
    assert [row[:3] for row in layers[1:]] == compiled._circuit.described() and len(layers) == 6
    assert abs(sum(float(row[-1].rstrip("%")) for row in layers[1:]) - 100) < 1
    assert [bool(row[3]) for row in layers[1:]] == [row[0] == "tanh" for row in layers[1:]]
    levels = [int(row[5]) for row in layers[1:]]
    assert (
        layers[0][5] == "level" and levels == sorted(levels, reverse=True) and levels[-1] == min(compiled.plan.levels)
    )
    # what is seen lies in the interval
    for row in layers[1:]:
        if row[0] == "tanh":
            low, high = map(float, row[2].split(" to "))
            least, most = map(float, row[3].split(" to "))
            assert low <= least < most <= high and row[4] == "0.000%"
    whole = page.tables["Where time goes"][1]
    assert whole[0].strip() == "Program" and whole[3] == "100.0%"
    assert page.tags.count("svg") == 2 and len(page.tables["Choice of parameters"]) > 1


def test_report_warns_of_activations_outside_of_their_interval(wine, tmp_path):
    model, x, _ = wine
    compiled = rj.ml.compile(model, x[:120], margin=1.0, agreement=0.9)
    far = x[:120].mean(axis=0) + 3 * (x[120:] - x[:120].mean(axis=0))
    sent = compiled._interface.packing
    trial = compiled.report(
        tmp_path / "report.html", np.clip(far, sent.centre - 0.99 * sent.half, sent.centre + 0.99 * sent.half)
    )
    assert trial.outside > 0
    page = Page((tmp_path / "report.html").read_text())
    assert any(f"{trial.outside:.3%} of the inputs of activations" in word for word in page.words)
    outside = [row[4] for row in page.tables["Layers"][1:] if row[0] == "tanh"]
    assert any(share != "0.000%" for share in outside)


def test_report_without_activations(tmp_path):
    x, y = datasets.load_iris(return_X_y=True)
    compiled = rj.ml.compile(make_pipeline(StandardScaler(), naive_bayes.GaussianNB()).fit(x, y), x)
    assert compiled.report(tmp_path / "report.html", x, y).agreement >= 0.99
    page = Page((tmp_path / "report.html").read_text())
    assert page.tags.count("svg") == 1 and len(page.tables["Layers"]) == len(compiled._circuit.described()) + 1


def test_report_of_trees(tmp_path):
    x, y = datasets.load_iris(return_X_y=True)
    compiled = rj.ml.compile(tree.DecisionTreeClassifier(max_depth=3, random_state=0).fit(x, y), x)
    assert compiled.report(tmp_path / "report.html", x, y).agreement == 1
    page = Page((tmp_path / "report.html").read_text())
    assert page.tables["Layers"][1:] == compiled._circuit.described() and "svg" not in page.tags
    with pytest.raises(rj.errors.ArgumentError, match="a circuit of the kind 'trees': expected a model with layers"):
        compiled.profile(x)
    assert page.tables["Agreement with the original model"][0][3] == "samples inside a gap"


def test_report_of_trees_counts_samples_inside_gaps(tmp_path):
    x, y = datasets.load_iris(return_X_y=True)
    fitted = tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(x, y)
    trial = rj.ml.compile(fitted, x, hide_thresholds=True).report(tmp_path / "report.html", x, y)
    assert trial.outside > 0
    page = Page((tmp_path / "report.html").read_text())
    assert page.tables["Agreement with the original model"][1][3] == f"{trial.outside:.3%}"
    assert any(f"{100 * trial.outside:.3g} % of samples have a feature inside the gap" in word for word in page.words)
    assert not any("activations" in word for word in page.words)


@pytest.mark.parametrize("batch", [None, 1])
def test_profile(wine, batch):
    model, x, _ = wine
    compiled = rj.ml.compile(model, x[:120], batch=batch)
    profile = compiled.profile(x[120:])
    assert [[layer.name, layer.size] for layer in profile.layers] == [row[:2] for row in compiled._circuit.described()]
    assert profile.samples == min(58, compiled._circuit.together(compiled.params))
    assert all(layer.estimate > 0 and layer.measured > 0 for layer in profile.layers)
    # layers by themselves take about as long as all of them together
    assert 0.5 < profile.estimate / compiled.estimate() < 2
    lines = str(profile).splitlines()
    assert len(lines) == len(profile.layers) + 3 and all("#" in line for line in lines[1:-2])


def test_plots():
    inputs = np.array([-3.0, -0.5, 0.0, 0.5])
    activity = Activity("1. relu <b>", -1.0, 1.0, inputs)
    assert activity.outside == 0.25
    figure = activities([activity] * 4)
    assert "&lt;b&gt;" in figure and "viewBox='0 0 900 260'" in figure
    # one bar outside of the interval, three within it, and the interval itself
    assert [figure.count(f"fill='{colour}'") for colour in ("#c00", "#06c", "#e4e4e4")] == [4, 12, 4]
    lengths = [
        float(found) for found in re.findall(r"width='([\d.]+)' height='14'", bars([("a", 1.0, ""), ("b", 0.25, "")]))
    ]
    assert lengths == [400.0, 100.0]
