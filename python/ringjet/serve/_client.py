"""The client of a service."""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from .. import _arrays
from .._checks import refusal
from .._drowned import Decryptions
from .._ringjet import Ciphertext, Client, Parameters
from ..errors import KeyMismatchError, OverwriteError
from ..ml.models._served import Remote
from ..program import Plan
from . import _frames, _shapes, _sharing, _uploads
from ._arguments import Stored, bound, count_of, ready
from ._jobs import Clock, Job, JobTimeoutError, Progress, told
from ._requests import request, served
from ._transport import Answer, Bar, ServiceError, Transport
from ._transport import refusal as refused

_T = TypeVar("_T")

_OCTETS = {"Content-Type": "application/octet-stream"}
_MAX_FRAMES = 10_000
#: The longest result, whatever the service says of its ciphertexts.
_MAX_RESULT = 8 << 30


def connect(
    url: str,
    token: str | None = None,
    *,
    secrets: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[int, int], Any] = False,
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
    - progress: of uploads and of waiting: True for bars, or a callable that takes (done, total).
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
        self, transport: Transport, secrets: str | os.PathLike[str] | None, progress: Progress, allow_insecure: bool
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

    def call(
        self, name: str, /, *values: Any, complex: bool = False, timeout: float | None = None, **named: Any
    ) -> Any:
        """Calls a program with values in the clear, and returns its results in the clear. The
        values are encrypted here, and the results decrypted here: the service sees neither.

            client.call("score", v, w)
            client.call("score", x=v, w=w)

        - values: one for each input, in order.
        - named: inputs by the names that `config` lists. Raises `InputNamesError` for other names.
          Inputs called `complex` or `timeout` are given without a name.
        - complex: returns complex numbers.
        - timeout: the longest time to wait in seconds, from when the inputs are encrypted and the
          service has the keys. Then the job is cancelled, and `JobTimeoutError` is raised. 0 asks
          once. None waits without end.

        An input may also be a ciphertext or its bytes, of this client's key. Or all inputs are `Stored`:
        ciphertexts that are in the service.
        """
        program = self._program(name)
        results = self._answered(program, self._request(program, values, named), timeout)
        return self._decrypted(program, results, complex)

    def submit(self, name: str, /, *values: Any, **named: Any) -> Job:
        """Starts a program, and returns without waiting for it. values, named: as for `call`."""
        return self._submitted(name, values, named, None)[0]

    def job(self, id: str) -> Job:
        """The job with this id, which `submit` of this process or of another one started. Its results can
        be decrypted by clients with the same secret key: `connect(secrets=...)`. Raises
        `KeyMismatchError` in others."""
        if not re.fullmatch("[0-9a-f]{32}", id):
            raise refusal("id", repr(id), "the id of a job, 32 hexadecimal digits")
        found = self._transport.request("GET", f"/v1/jobs/{id}").json(_shapes.JOB)
        own, theirs = self.key_id(found["program"]), found.get("key_id", "")
        if theirs != own:
            error = KeyMismatchError(f"the job {id} belongs to key {theirs}, and this client has {own}")
            error.what, error.expected, error.found = "job", own, theirs
            raise error
        return Job(self, self._program(found["program"]), id)

    async def run_async(
        self, name: str, /, *values: Any, complex: bool = False, timeout: float | None = None, **named: Any
    ) -> Any:
        """`call` for asyncio: keys, encryption, requests and decryption run in threads. If the task is
        cancelled, or at the end of the time, so is the job."""
        starting = asyncio.ensure_future(asyncio.to_thread(self._submitted, name, values, named, timeout))
        try:
            job, clock = await asyncio.shield(starting)
            return await job._result_async(clock, complex)
        except (asyncio.CancelledError, JobTimeoutError) as error:
            # a job that is being sent is cancelled when its id has come
            await asyncio.wait([starting])
            if starting.exception() is None:
                await asyncio.to_thread(starting.result()[0]._given_up, error)
            raise

    def call_for_sharing(
        self,
        name: str,
        /,
        *values: Any,
        plan: Plan,
        bits: int | None = None,
        complex: bool = False,
        security: int = 40,
        answers: int = 1024,
        timeout: float | None = None,
        **named: Any,
    ) -> Any:
        """Calls a program and decrypts its results for others, as `Client.decrypt_for_sharing` does: noise
        hides what exact errors would tell about the key. Every result counts as one answer;
        `connect(secrets=...)` keeps the count in the key's file.

        - values, named, timeout: as for `call`.
        - plan: what `ringjet.plan` says of your own copy of the program, with the slots, levels, counts
          and magnitudes of the inputs. How large errors can be is taken from it, and nothing of that
          from the service. Counts of `Stored` inputs and of bytes are not compared with it.
        - bits, complex, security, answers: as for `Client.decrypt_for_sharing`. With BGV and BFV
          there are no bits.
        """
        program = self._program(name)
        asked = self._request(program, values, named)
        share = self._sharing(program, asked.counts, plan, bits, complex, security, answers)
        return share(self._answered(program, asked, timeout))

    def public_key(self, name: str) -> bytes:
        """The public key for a program. Others encrypt with it, by `ringjet.Encryptor`, what this client
        decrypts."""
        return self._client(self._program(name)["parameters"], None).public_key().to_bytes()

    def store(self, name: str, ciphertext: Ciphertext | bytes) -> Stored:
        """Puts a ciphertext into the service, for calls of all who have a token of the same tenant. A
        stored ciphertext does not change: another one of the same name is refused."""
        stored, data = Stored(name), ready(ciphertext)
        if data is None:
            raise refusal("ciphertext", type(ciphertext).__name__, "a ciphertext, or its bytes")
        self._transport.request("PUT", f"/v1/data/{name}", data, _OCTETS)
        return stored

    def remove(self, stored: Stored) -> None:
        """Removes a ciphertext from the service. Jobs that were started with it are not affected."""
        self._transport.request("DELETE", f"/v1/data/{stored.name}")

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
            asked = _Request(_OCTETS, _frames.pack(list(zip(names, ciphertexts, strict=True))))
            results = self._answered(program, asked, timeout)
            answers.append((samples, self._results(program, results)))
        return model.predictions(answers)

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
                with self._bar("upload") as show:
                    _uploads.send(self._transport, client.key_id, keys.to_bytes(), show)
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
        """Closes the connections of all threads. A connection that a request still uses is closed when its
        answer has come."""
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

    # ---- calls ----

    def _request(self, program: dict[str, Any], values: Sequence[Any], named: Mapping[str, Any]) -> _Request:
        """What a call with these arguments sends."""
        inputs, name = program["inputs"], program["name"]
        given = bound(name, [i["name"] for i in inputs], values, named)
        places = {i["name"]: x.name for i, x in zip(inputs, given, strict=True) if isinstance(x, Stored)}
        if not places:
            sent = [(i["name"], self._encrypt(program, i, x)) for i, x in zip(inputs, given, strict=True)]
            return _Request(_OCTETS, _frames.pack(sent), [count_of(x) for x in given])
        if lacking := [i["name"] for i in inputs if i["name"] not in places]:
            found = ", ".join(lacking)
            raise refusal(found, "values", "stored ciphertexts for all inputs, or for none: store them first")
        return _Request({"Content-Type": "application/json"}, json.dumps({"inputs": places}).encode())

    def _encrypt(self, program: dict[str, Any], given: dict[str, Any], values: Any) -> bytes:
        if (data := ready(values)) is not None:
            return data
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

    def _answered(self, program: dict[str, Any], asked: _Request, timeout: float | None) -> bytes:
        """Calls a program, and waits for the frames of its results."""
        wait = min(self.config()["limits"]["max_wait_seconds"], 2.0 if self._progress else 20.0)
        if timeout is not None:
            wait = max(0.0, min(wait, timeout))

        def results() -> bytes:
            clock = Clock(timeout)
            answer = self._posted(program, asked, wait)
            if answer.status == 200:
                return answer.body
            job = self._started(program, asked, answer)
            try:
                return job._frames(clock)
            except JobTimeoutError as error:
                job._given_up(error)
                raise

        return self._with_keys(program, results)

    def _submitted(
        self, name: str, values: Sequence[Any], named: Mapping[str, Any], timeout: float | None
    ) -> tuple[Job, Clock]:
        """Starts a program. Returns its job, and the clock that counts from when it was sent."""
        program = self._program(name)
        asked = self._request(program, values, named)

        def started() -> tuple[Job, Clock]:
            clock = Clock(timeout)
            return self._started(program, asked, self._posted(program, asked, 0.0)), clock

        return self._with_keys(program, started)

    def _with_keys(self, program: dict[str, Any], attempt: Callable[[], _T]) -> _T:
        """Tries something for which the service needs the keys of a program; once more if they are not
        there any more."""
        self.prepare(program["name"])
        try:
            return attempt()
        except ServiceError as error:
            if error.kind != "missing-keys":
                raise
        # the keys expired, or somebody removed them
        with self._lock:
            self._sent.pop(self._client(program["parameters"], None).key_id, None)
        self.prepare(program["name"])
        return attempt()

    def _posted(self, program: dict[str, Any], asked: _Request, wait: float) -> Answer:
        """Sends a call. The answer has the frames of the results (200), or a job (202)."""
        # with the key, a repeated request finds the first one's job: nothing is computed twice
        headers = {**asked.headers, "Idempotency-Key": os.urandom(16).hex()}
        path = f"/v1/programs/{program['name']}?wait={wait:g}"
        return self._transport.request("POST", path, asked.body, headers, max_bytes=self._max_result(), extra=wait)

    def _started(self, program: dict[str, Any], asked: _Request, answer: Answer) -> Job:
        """The job of an answer. A request that was repeated may find a job that is finished."""
        if answer.status != 200:
            return Job(self, program, answer.json(_shapes.JOB)["id"], asked.counts)
        place = answer.headers.get("location", "")
        if not (found := re.fullmatch("/v1/jobs/([0-9a-f]{32})", place)):
            raise refused(200, "answer", f"the service started a job, and names it {place[:80]!r}")
        return Job(self, program, found[1], asked.counts)

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

    def _sharing(
        self,
        program: dict[str, Any],
        counts: Sequence[int | None],
        plan: Plan,
        bits: int | None,
        complex: bool,
        security: int,
        answers: int,
    ) -> Callable[[bytes], Any]:
        """What decrypts the frames of results for others. counts: of the values of inputs, where known."""
        client, limit = self._client(program["parameters"], None), self._max_result()
        _sharing.expect_plan(program, counts, plan, bits, client.params.t is not None)
        options = {"security": security, "answers": answers, "max_bytes": limit}
        return lambda body: _sharing.shared(client, self._results(program, body), plan, bits, complex, options)

    @contextmanager
    def _bar(self, label: str) -> Iterator[Bar | None]:
        yield told(self._progress, label)


class _Request(NamedTuple):
    """The body of a call, its headers, and how many values each input holds, where that is known."""

    headers: dict[str, str]
    body: bytes
    counts: Sequence[int | None] = ()


def _union(have: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Both sets of keys together."""
    both = served(have)
    for name, level in served(wanted).items():
        both[name] = max(level, both.get(name, -1))
    slots = {*(have.get("bootstrapping") or ()), *(wanted.get("bootstrapping") or ())}
    return request(both, slots)
