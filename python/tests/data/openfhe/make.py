"""Makes the JSON of OpenFHE that `test_interchange_openfhe.py` reads, compressed by gzip. The wheel is for Python 3.10.

    python3.10 -m venv openfhe && openfhe/bin/pip install openfhe==1.6.1.0.22.4
    openfhe/bin/python make.py

Secrets are random, so every run writes other bytes. Rings are small, and not secure.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import openfhe as of

HERE = Path(__file__).parent
DEGREE, T = 1024, 12289
SETS = {"ckks": of.CCParamsCKKSRNS, "bfv": of.CCParamsBFVRNS, "bgv": of.CCParamsBGVRNS}
facts: dict[str, object] = {"openfhe": of.__version__}


def save(name: str, thing: object) -> None:
    # without the white space, which is most of it
    text = json.dumps(json.loads(of.Serialize(thing, of.JSON)), separators=(",", ":"))
    (HERE / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def library(scheme: str) -> None:
    parameters = SETS[scheme]()
    parameters.SetSecurityLevel(of.SecurityLevel.HEStd_NotSet)
    parameters.SetRingDim(DEGREE)
    parameters.SetMultiplicativeDepth(1)
    if scheme == "ckks":
        parameters.SetFirstModSize(50)
        parameters.SetScalingModSize(40)
    else:
        parameters.SetPlaintextModulus(T)
    context = of.GenCryptoContext(parameters)
    for feature in (of.PKESchemeFeature.PKE, of.PKESchemeFeature.KEYSWITCH, of.PKESchemeFeature.LEVELEDSHE):
        context.Enable(feature)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    if scheme == "ckks":
        values = [(-1) ** i * i / 64 for i in range(64)]
        plain = context.MakeCKKSPackedPlaintext(values, slots=64)
    else:
        values = [(i * 7 + T // 2) % T - T // 2 for i in range(DEGREE)]
        plain = context.MakePackedPlaintext(values)
    fresh = context.Encrypt(keys.publicKey, plain)
    square = context.EvalMult(fresh, fresh)
    if scheme == "bgv":
        context.ModReduceInPlace(square)
    save(f"{scheme}-context", context)
    save(f"{scheme}-secret", keys.secretKey)
    save(f"{scheme}-fresh", fresh)
    save(f"{scheme}-square", square)
    facts[scheme] = {"values": values}


for name in SETS:
    library(name)
(HERE / "values.json").write_text(json.dumps(facts) + "\n")
(HERE / "binary.bin").write_bytes(of.Serialize(of.GenCryptoContext(SETS["ckks"]()), of.BINARY)[:64])
