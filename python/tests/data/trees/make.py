"""Makes the files of this folder with xgboost 3.2.0 and lightgbm 4.7.0: `python make.py`, in this folder.

Each file has a model as the package writes it, the data set of scikit-learn that it was trained on, and its raw scores for
the last 64 rows in the order of the tests.
"""

import json

import lightgbm
import numpy as np
import xgboost
from sklearn import datasets

SETS = {"binary": "breast_cancer", "classes": "wine", "values": "diabetes"}


def main():
    for kind, name in SETS.items():
        x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        order = np.random.default_rng(0).permutation(len(x))
        x, y = x[order], y[order]
        suffix = "Regressor" if kind == "values" else "Classifier"
        model = getattr(xgboost, f"XGB{suffix}")(n_estimators=8, max_depth=3, n_jobs=1).fit(x[:-64], y[:-64])
        scores = model.get_booster().inplace_predict(x[-64:], predict_type="margin")
        write(f"xgboost_{kind}", json.loads(model.get_booster().save_raw("json")), name, scores)
        model = getattr(lightgbm, f"LGBM{suffix}")(n_estimators=8, num_leaves=7, n_jobs=1, verbose=-1)
        model.fit(x[:-64], y[:-64])
        scores = model.booster_.predict(x[-64:], raw_score=True)
        write(f"lightgbm_{kind}", model.booster_.dump_model(), name, scores)


def write(file, model, name, scores):
    found = {"data": name, "scores": np.asarray(scores, float).reshape(64, -1).tolist(), "model": model}
    with open(f"{file}.json", "w") as out:
        json.dump(found, out, separators=(",", ":"))


main()
