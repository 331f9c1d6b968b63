"""The client of a service."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import ssl
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy.typing as npt

from .. import _arrays
from .._checks import refusal
from .._drowned import Decryptions
from .._ringjet import Client, Parameters
from ..errors import OverwriteError
from ..ml.models._served import Remote
from ..progress import bar
from . import _frames, _shapes
from ._requests import request, served
from ._transport import Bar, ServiceError, Transport, in_parts
from ._transport import refusal as refused

_PART = 4 << 20
_OCTETS = {"Content-Type": "application/octet-stream"}
_MAX_FRAMES = 10_000
#: The longest result, whatever the service says of its ciphertexts.
_MAX_RESULT = 8 << 30


def connect(
    url: str,
    token: str | None = None,
    *,
    secrets: str | os.PathLike[str] | None = None,
    progress: bool = False,
    timeout: float = 60.0,
    allow_insecure: bool = False,
    context: ssl.SSLContext | None = None,
) -> ServiceClient:
    """A client of the service at `url`.

        client = rj.connect("https://host", token)
        y = client.call("score", v, w)

    - token: as `ringjet serve token add` printed it.
    - secrets: a folder where secret keys are kept, in files that only their owner may read. Without
      it, keys are made anew and end with this object.
    - progress: shows bars for uploads and for waiting.
    - timeout: of one answer, in seconds.
    - allow_insecure: takes parameters of the service that are weaker than they say.
    - context: for TLS.

    A token that goes to another machine over http is in clear, as everything else: there is a warning
    then.
    """
    transport = Transport(url, token, timeout, context)
    if token is not None and transport.in_clear:
        text = f"{transport.url}: the token goes over the network in clear, and whoever reads it can use it; use https"
        warnings.warn(text, UserWarning, stacklevel=2)
    return ServiceClient(transport, secrets, progress, allow_insecure)


class ServiceClient:
    """Calls the programs of a service. It makes a secret key for each parameter set, sends the
    public evaluation keys once, encrypts and decrypts. Secrets stay in this object, and in the
    folder of `connect(secrets=...)`. Threads may share it."""

    def __init__(
        self, transport: Transport, secrets: str | os.PathLike[str] | None, progress: bool, allow_insecure: bool
    ) -> None:
        self._transport, self._progress, self._allow_insecure = transport, progress, allow_insecure
        self._secrets = Path(secrets) if secrets is not None else None
        self._clients: dict[tuple[str, int | None], Client] = {}
        #: What the service is known to have, by key identity.
        self._sent: dict[str, dict[str, Any]] = {}
        self._lock = threading.RLock()
        self._config: dict[str, Any] | None = None

    def config(self) -> dict[str, Any]:
        """What the service offers: programs, parameters, limits. It is asked for once."""
        with self._lock:
            if self._config is None:
                self._config = self._transport.request("GET", "/v1/config").json(_shapes.CONFIG)
            return self._config

    @property
    def programs(self) -> list[str]:
        """The names of the programs."""
        return [program["name"] for program in self.config()["programs"]]

    def call(self, name: str, *values: npt.ArrayLike, complex: bool = False, timeout: float | None = None) -> Any:
        """Calls a program with values in the clear, and returns its results in the clear. The
        values are encrypted here, and the results decrypted here: the service sees neither.

        complex: returns complex numbers. timeout: the longest time to wait in seconds.
        """
        program = self._program(name)
        results = self._answered(program, self._encrypted(program, values), timeout)
        return self._decrypted(program, results, complex)

    def predict(self, name: str, X: Any, *, timeout: float | None = None) -> Any:
        """The classes or values that a model of the service gives for samples, one a row. They are encrypted here, as
        `ringjet.ml.Client` encrypts them, and the scores are decrypted here: the service sees neither. What features
        may be, and what scores mean, is as the service says. It is called as often as the samples take.

        timeout: the longest time to wait for a call in seconds.
        """
        program = self._program(name)
        if "model" not in program:
            raise refusal("name", repr(name), "a model; call calls other programs")
        model = Remote(program["model"], self._client(program["parameters"], None))
        names = [i["name"] for i in program["inputs"]]
        answers = []
        for samples, ciphertexts in model.requests(X):
            if len(ciphertexts) != len(names):
                raise refused(
                    200, "answer", f"the model takes {len(names)} ciphertexts, and samples {len(ciphertexts)}"
                )
            results = self._answered(program, list(zip(names, ciphertexts, strict=True)), timeout)
            answers.append((samples, self._results(program, results)))
        return model.predictions(answers)

    def _answered(self, program: dict[str, Any], frames: Sequence[tuple[str, bytes]], timeout: float | None) -> bytes:
        """Calls a program with ciphertexts. Returns the frames of its results."""
        name = program["name"]
        self.prepare(name)
        body = _frames.pack(frames)
        # with the key, a repeated request finds the first one's job: nothing is computed twice
        headers = {**_OCTETS, "Idempotency-Key": os.urandom(16).hex()}
        try:
            return self._called(name, body, headers, timeout)
        except ServiceError as error:
            if error.kind != "missing-keys":
                raise
            # the keys expired, or somebody removed them
            with self._lock:
                self._sent.pop(self._client(program["parameters"], None).key_id, None)
            self.prepare(name)
            return self._called(name, body, {**headers, "Idempotency-Key": os.urandom(16).hex()}, timeout)

    def prepare(self, name: str) -> str:
        """Makes the keys that a program needs and sends them, unless the service has them. Returns
        the key identity. `call` does this by itself."""
        program = self._program(name)
        with self._lock:
            client = self._client(program["parameters"], None)
            have = self._sent.get(client.key_id) or self._state(client.key_id)
            wanted = _union(have or {}, program["keys"])
            if have is None or wanted != _union(have, {}):
                with self._bar("keys") as show:
                    keys = client.evaluation_keys(**wanted, progress=show)
                self._upload(client.key_id, keys.to_bytes())
            self._sent[client.key_id] = wanted
            return client.key_id

    def key_id(self, name: str) -> str:
        """The identity of the key for a program. A token can be bound to it."""
        return self._client(self._program(name)["parameters"], None).key_id

    def forget(self, name: str) -> None:
        """Removes the evaluation keys of a program from the service."""
        key_id = self.key_id(name)
        with self._lock:
            self._transport.request("DELETE", f"/v1/keys/{key_id}")
            self._sent.pop(key_id, None)

    def close(self) -> None:
        """Closes the connection."""
        self._transport.close()

    def __enter__(self) -> ServiceClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ServiceClient({self._transport.url})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a ServiceClient holds secret keys: it cannot be pickled; connect again with the same `secrets`"
        )

    # ---- keys ----

    def _program(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] | None = next((p for p in self.config()["programs"] if p["name"] == name), None)
        if found is None:
            raise refusal("name", repr(name), f"one of {', '.join(self.programs)}")
        return found

    def _client(self, fingerprint: str, slots: int | None) -> Client:
        """The holder of the secret for a parameter set; `slots` changes only the length of
        vectors."""
        with self._lock:
            if found := self._clients.get((fingerprint, slots)):
                return found
            if slots is not None:
                secret = self._client(fingerprint, None).to_secret_bytes()
                made = Client.from_secret_bytes(secret, slots, allow_insecure=self._allow_insecure)
            else:
                made = self._first_client(fingerprint)
            self._clients[fingerprint, slots] = made
            return made

    def _first_client(self, fingerprint: str) -> Client:
        params = self._parameters(fingerprint)
        path = self._secrets / f"{fingerprint}.secret" if self._secrets is not None else None
        if path is not None and path.exists():
            return Client.load(path, allow_insecure=self._allow_insecure, params=params)
        made = Client(params)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                made.save(path)
            except OverwriteError:
                # another process made a key meanwhile
                return Client.load(path, allow_insecure=self._allow_insecure, params=params)
        return made

    def _parameters(self, fingerprint: str) -> Parameters:
        text = next((p["parameters"] for p in self.config()["parameters"] if p["fingerprint"] == fingerprint), None)
        params = (
            Parameters.from_json(json.dumps(text), allow_insecure=self._allow_insecure) if text is not None else None
        )
        if params is None or params.fingerprint != fingerprint:
            found = "no parameters" if params is None else params.fingerprint
            raise refused(200, "answer", f"the service names parameters {fingerprint}, and describes {found}")
        return params

    def _state(self, key_id: str) -> dict[str, Any] | None:
        try:
            state = self._transport.request("GET", f"/v1/keys/{key_id}").json(_shapes.KEYS)
        except ServiceError as error:
            if error.status != 404:
                raise
            return None
        found: dict[str, Any] | None = state.get("keys")
        return found

    def _upload(self, key_id: str, data: bytes) -> None:
        """Sends keys in parts. After a broken connection it asks what has come, and goes on from
        there."""
        sha256 = hashlib.sha256(data)
        headers = {**_OCTETS, "Repr-Digest": f"sha-256=:{base64.b64encode(sha256.digest()).decode()}:"}
        path, start, failures = f"/v1/keys/{key_id}", 0, 0
        with self._bar("upload") as show:
            while True:
                try:
                    for at, part in in_parts(data, start, _PART):
                        place = f"bytes {at}-{at + len(part) - 1}/{len(data)}"
                        self._transport.request("PUT", path, part, {**headers, "Content-Range": place}, repeat=False)
                        start = at + len(part)
                        if show is not None:
                            show(start, len(data))
                    return
                except (OSError, ServiceError) as error:
                    broken = not isinstance(error, ServiceError) or error.kind in ("conflict", "incomplete", "slow")
                    failures += 1
                    if not broken or failures > 8:
                        raise
                    time.sleep(min(0.05 * 2**failures, 5.0))
                    self._transport.close()
                    start = self._resumed(path, sha256.hexdigest(), len(data), headers)
                    if start is None:
                        return

    def _resumed(self, path: str, sha256: str, total: int, headers: dict[str, str]) -> Any:
        """How much of the upload the service has; None if the keys are complete."""
        try:
            state = self._transport.request("GET", path).json(_shapes.KEYS)
        except ServiceError as error:
            if error.status != 404:
                raise
            return 0
        upload = state.get("upload") or {}
        if state.get("sha256") == sha256 and not upload:
            return None
        received = int(upload.get("received", 0)) if upload.get("sha256") == sha256 else 0
        if received == total:
            # all bytes are there, but nobody verified them yet
            self._transport.request("PUT", path, b"", {**headers, "Content-Range": f"bytes */{total}"})
            return None
        return received

    # ---- calls ----

    def _encrypted(self, program: dict[str, Any], values: Sequence[npt.ArrayLike]) -> list[tuple[str, bytes]]:
        inputs = program["inputs"]
        if len(values) != len(inputs):
            names = ", ".join(i["name"] for i in inputs)
            raise TypeError(f"{program['name']} takes {len(inputs)} inputs ({names}), and {len(values)} were given")
        return [(i["name"], self._encrypt(program, i, v)) for i, v in zip(inputs, values, strict=True)]

    def _encrypt(self, program: dict[str, Any], given: dict[str, Any], values: npt.ArrayLike) -> bytes:
        client = self._client(program["parameters"], None)
        values = _arrays.given(values, client.params.t is not None, given["name"])
        if given["count"] is not None and values.size != given["count"]:
            raise refusal(
                given["name"],
                f"{values.size} values",
                f"{given['count']} values: {program['name']} is planned for them",
            )
        if client.slots != given["slots"]:
            client = self._client(program["parameters"], given["slots"])
        options: dict[str, Any] = {}
        if given["unit"] == "level":
            options["level"] = given["level"]
        elif given["unit"] == "log_q":
            options["log_q"] = given["level"]
        if client.params.t is None:
            options["magnitude"] = given["magnitude"]
        return client.encrypt(values, **options).to_bytes()

    def _called(self, name: str, body: bytes, headers: dict[str, str], timeout: float | None) -> bytes:
        """Sends a call, and waits for the frames of its results."""
        limit = self._max_result()
        end = None if timeout is None else time.monotonic() + timeout
        wait = min(self.config()["limits"]["max_wait_seconds"], 2.0 if self._progress else 20.0, timeout or 20.0)
        path = f"/v1/programs/{name}?wait={wait:g}"
        answer = self._transport.request("POST", path, body, headers, max_bytes=limit, extra=wait)
        if answer.status == 200:
            return answer.body
        job = answer.json(_shapes.JOB)
        with self._bar(name) as show:
            self._await(job, end, show)
        return self._transport.request("GET", f"/v1/jobs/{job['id']}/result", max_bytes=limit).body

    def _await(self, job: dict[str, Any], end: float | None, show: Bar | None) -> None:
        start, pause = time.monotonic(), 0.05
        while job["state"] in ("queued", "running"):
            if end is not None and time.monotonic() > end:
                self._transport.request("DELETE", f"/v1/jobs/{job['id']}")
                took = time.monotonic() - start
                raise TimeoutError(f"{job['program']} is {job['state']} after {took:.1f} s; it was cancelled")
            time.sleep(pause)
            pause = min(1.5 * pause, 1.0)
            job = self._transport.request("GET", f"/v1/jobs/{job['id']}").json(_shapes.JOB)
            if show is not None:
                done, total = job.get("progress") or (0, 100)
                show(min(done, total - 1), total)
        if show is not None:
            show(100, 100)

    def _max_result(self) -> int:
        return min(int(self.config()["limits"]["max_data_bytes"]) * 8, _MAX_RESULT)

    def _results(self, program: dict[str, Any], body: bytes) -> list[bytes]:
        """The ciphertexts of an answer."""
        limit = self._max_result()
        try:
            found = [content for _, content in _frames.read(body, max_frames=_MAX_FRAMES, max_bytes=limit)]
        except _frames.FrameError as error:
            raise refused(200, "answer", str(error)) from None
        if len(found) != len(program["outputs"]):
            detail = f"{len(found)} results, and {program['name']} returns {len(program['outputs'])}"
            raise refused(200, "answer", detail)
        return found

    def _decrypted(self, program: dict[str, Any], body: bytes, complex: bool) -> Any:
        found, limit = self._results(program, body), self._max_result()
        decryptions = Decryptions(self._client(program["parameters"], None))

        def filled(template: Any) -> Any:
            if isinstance(template, int):
                if not 0 <= template < len(found):
                    raise refused(200, "answer", f"the service names result {template} of {len(found)}")
                return decryptions.of(found[template], complex, max_bytes=limit)
            if isinstance(template, list):
                return [filled(part) for part in template]
            return {key: filled(part) for key, part in template.items()}

        values = filled(program["result"])
        decryptions.warn(above=1)
        return values

    @contextmanager
    def _bar(self, label: str) -> Iterator[Bar | None]:
        yield bar(label) if self._progress else None


def _union(have: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Both sets of keys together."""
    both = served(have)
    for name, level in served(wanted).items():
        both[name] = max(level, both.get(name, -1))
    slots = {*(have.get("bootstrapping") or ()), *(wanted.get("bootstrapping") or ())}
    return request(both, slots)
