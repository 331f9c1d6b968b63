"""Times of trees on encrypted samples: 100 boosted trees of depth 4, in both ways, and a model of each kind.

    python bench/models/trees.py [first | all]

Models are trained on data sets of scikit-learn without their last 64 rows, and these rows are encrypted, or fewer of them.
"warm" is the better one of two more calls: the first one also encodes matrices and expands keys. XGBoost and LightGBM are
measured where they are installed.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn import datasets, ensemble, tree

import ringjet as rj

ROWS = 64


def measured(model: Any, name: str, rows: int, **options: Any) -> str:
    """A row of the table."""
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order], y[order]
    model.fit(x[:-ROWS], y[:-ROWS])
    start = time.perf_counter()
    compiled = rj.ml.compile(model, x[:-ROWS], **options)
    compiling = time.perf_counter() - start
    client = compiled.client()
    keys = client.keys()
    server, samples = compiled.server(keys), x[-ROWS:][:rows]
    sent = client.encrypt(samples)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        returned = server.predict(sent)
        times.append(time.perf_counter() - start)
    found, wanted = client.decrypt(returned), model.predict(samples)
    is_value = found.dtype.kind == "f" and not hasattr(model, "classes_")
    error = np.max(np.abs(found - wanted)) / np.ptp(model.predict(x[:-ROWS])) if is_value else None
    same = f"within {error:.1e}" if error is not None else f"{100 * np.mean(found == wanted):.1f} %"
    trial = compiled.simulate(x[-ROWS:], model.predict(x[-ROWS:]), seed=1)
    params = f"2^{compiled.params.log_n}, {compiled.params.depth} levels"
    kind = "hidden" if options.get("hide_thresholds") else "conditions"
    cells = [type(model).__name__, name, kind, params, f"{compiling:.1f}", f"{len(keys) / 1e6:.0f}"]
    cells += [f"{rows} ({len(sent) / 1e6:.1f} MB)", f"{times[0]:.2f}", f"{min(times[1:]):.2f}", same]
    return "| " + " | ".join([*cells, f"{100 * trial.agreement:.1f} %", f"{100 * trial.outside:.0f} %"]) + " |"


def models() -> list[tuple[Any, str, int, dict[str, Any]]]:
    """The models, their data, how many rows are encrypted, and options."""
    boosted = ensemble.GradientBoostingClassifier(n_estimators=100, max_depth=4, random_state=0)
    found: list[tuple[Any, str, int, dict[str, Any]]] = [
        (boosted, "breast_cancer", 64, {}),
        (boosted, "breast_cancer", 64, {"hide_thresholds": True}),
    ]
    if sys.argv[1:] == ["first"]:
        return found
    found += [
        (tree.DecisionTreeClassifier(random_state=0), "breast_cancer", 64, {}),
        (ensemble.RandomForestClassifier(random_state=0), "breast_cancer", 64, {}),
        (ensemble.ExtraTreesClassifier(30, random_state=0), "breast_cancer", 64, {}),
        (ensemble.HistGradientBoostingClassifier(random_state=0), "breast_cancer", 64, {}),
        (ensemble.AdaBoostClassifier(random_state=0), "breast_cancer", 64, {}),
        (ensemble.GradientBoostingRegressor(random_state=0), "diabetes", 64, {}),
        (ensemble.HistGradientBoostingRegressor(random_state=0), "diabetes", 64, {}),
        (ensemble.RandomForestRegressor(20, random_state=0), "diabetes", 8, {}),
    ]
    if importlib.util.find_spec("xgboost"):
        import xgboost

        found.append((xgboost.XGBClassifier(max_depth=4), "breast_cancer", 64, {}))
        found.append((xgboost.XGBRegressor(max_depth=4), "diabetes", 64, {}))
        found.append((xgboost.XGBClassifier(n_estimators=20, max_depth=4), "digits", 64, {}))
    if importlib.util.find_spec("lightgbm"):
        import lightgbm

        found.append((lightgbm.LGBMClassifier(verbose=-1), "breast_cancer", 64, {}))
        found.append((lightgbm.LGBMRegressor(verbose=-1), "diabetes", 64, {}))
    return found


def main() -> None:
    """Prints the table."""
    head = "model | data | client sends | parameters | compile s | keys MB | rows | first s | warm s | encrypted | 64 rows, simulated"
    columns = [*head.split(" | "), "of them inside a gap"]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for model, name, rows, options in models():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            print(measured(model, name, rows, **options), flush=True)


if __name__ == "__main__":
    main()
