"""A session: keys that parties make together, and answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._ringjet import Ciphertext, Encryptor, EvaluationKeys, PartySession, PublicKey, Server
from ..errors import ResultMismatchError
from ..program import Plan, Program
from ..program._inputs import Function
from ._spec import _digest

if TYPE_CHECKING:
    from ._party import Party

#: Default limit on the bytes of a ciphertext.
_LIMIT = 256 << 20


class Session:
    """A session of a party with all others: `Party.session()` makes it.

    Until it is `ready`, `next()` gives what is sent to all others, and `receive` takes what they sent.
    All of it may be seen by anybody. Everything follows from the pieces of the secret: what is made again
    has the same bytes.
    """

    def __init__(self, party: Party) -> None:
        self.party = party
        self._session = PartySession(party._party)
        self._encryptor: Encryptor | None = None
        self._server: Server | None = None

    @property
    def id(self) -> str:
        """The identity of the session, in hexadecimal: the `key_id` of its keys and ciphertexts."""
        return self._session.id

    @property
    def round(self) -> str:
        """What is sent next: "commit", "open", "second" (with a relinearisation key), or "ready"."""
        return self._session.round

    @property
    def ready(self) -> bool:
        """Whether the keys are there."""
        return self.round == "ready"

    def next(self, *, lost: Iterable[str] = (), progress: Any = None) -> bytes:
        """What this party sends to all others in this round.

        - lost: names of parties that send nothing any more: the next holders of their pieces send in
          their place.
        - progress: True for a bar, or a callable taking (done, total). Ctrl-C stops the work.
        """
        return self._session.next(list(lost), progress)

    def again(self, round: str, *, lost: Iterable[str] = (), progress: Any = None) -> bytes:
        """What this party sent to all others in an earlier round ("commit", "open" or "second"), or sends in
        this one: for those whom it did not reach. Arguments as for `next`."""
        return self._session.again(round, list(lost), progress)

    def receive(self, messages: Iterable[bytes]) -> None:
        """Takes messages of the round, in any order; this party's own may be among them. Messages of rounds
        that are done are compared with what came then.

        Raises `PartyMissingError` as long as messages are missing: what came is kept. `WrongSessionError`,
        `WrongRoundError`, `TranscriptMismatchError`, `SharesDisagreeError`, `CommitmentMismatchError`,
        `MalformedError` for messages that do not fit: a refused message changes nothing.
        """
        self._session.receive(list(messages))

    def deal(self) -> dict[str, bytes]:
        """What each other party gets from this one before the first answer, by its name: a point of this
        party's piece. **It is secret**, and must travel in private, as a hello does. The same bytes come again
        when it is called again. Up to eight parties deal nothing: the dictionary is empty."""
        return self._session.deal()

    def receive_deals(self, deals: Iterable[bytes]) -> None:
        """Takes what the other parties dealt to this one, in any order; deals may come again.

        Raises `PartyMissingError` until all have come: what came is kept. `TranscriptMismatchError` for
        a party that dealt something else before; `ArgumentError` for a deal to somebody else;
        `WrongSessionError`, `MalformedError`.
        """
        self._session.receive_deals(list(deals))

    @property
    def public_key(self) -> PublicKey:
        """The public key. Raises `PartyMissingError` before the session is ready."""
        return self._session.keys()[0]

    @property
    def evaluation_keys(self) -> EvaluationKeys:
        """The keys that a server computes with. Raises `PartyMissingError` before the session is ready."""
        return self._session.keys()[1]

    def encrypt(self, values: Any, level: int | None = None, **options: Any) -> Ciphertext:
        """Encrypts with the public key of the session; arguments as for `Encryptor.encrypt`."""
        if self._encryptor is None:
            self._encryptor = Encryptor(self.public_key)
        return self._encryptor.encrypt(values, level, **options)

    def verify(
        self,
        ciphertext: Ciphertext | bytes,
        function: Callable[..., Any] | Program,
        inputs: Sequence[Ciphertext | bytes],
        *,
        output: int | str | None = None,
    ) -> None:
        """Computes the result again, and compares it: results are the same bit for bit, whoever computes.

        **Whoever sends a ciphertext that is no result of encryptions can learn this party's pieces from its
        share.** So a party that does not trust the server verifies before it answers.

        - function: `f(x, y)` or `f(server, x, y)` as for `rj.plan`, or a `Program`.
        - inputs: the encrypted inputs, which this party must have from whom it trusts to have encrypted them.
        - output: which of several outputs.

        Raises `ResultMismatchError` where the result is another one.
        """
        server = self._server = self._server or Server(self.evaluation_keys)
        loaded = [server.load(x if isinstance(x, bytes) else x.to_bytes()) for x in inputs]
        if isinstance(function, Program):
            made = function(server, *loaded)
        else:
            made = Function(function).run(server, loaded)
        expected = _chosen(made, output).to_bytes()
        found = ciphertext if isinstance(ciphertext, bytes) else ciphertext.to_bytes()
        if expected != found:
            one, other = (hashlib.sha256(data).hexdigest() for data in (expected, found))
            message = (
                f"the result is not that of this computation on these inputs: {other}, not {one}. Do not answer it"
            )
            error = ResultMismatchError(message)
            error.expected, error.found = one, other
            raise error

    def decryption_share(
        self,
        ciphertext: Ciphertext | bytes,
        *,
        plan: Plan,
        output: int | str | None = None,
        bits: int = 0,
        active: Iterable[str] = (),
        max_bytes: int = _LIMIT,
    ) -> bytes:
        """This party's shares of the decryption, for whoever combines them. `verify` the ciphertext before.

        The answer is counted in the party's file before it is returned. The same call gives the same bytes
        again, and is not counted again.

        - plan, output: as for `Client.decrypt_for_sharing`; a plan of the spec, if it has any.
        - bits: how many bits after the point the noise must leave; it is refused otherwise.
        - active: with more than eight parties the names of those who answer this ciphertext, as many as the
          threshold, this one among them; all of them name the same. Up to eight parties name none.

        Raises `AlreadyAnsweredError` for a ciphertext that was answered in another way,
        `ActiveSetChangedError` for one that was answered together with other parties,
        `PartyMissingError` before all have dealt, `AnswersExhaustedError`, `NotSharableError`,
        `KeyMismatchError`, `ParameterMismatchError`.
        """
        self._expect(plan)
        return self._session.decryption_share(ciphertext, plan, output, bits, list(active), max_bytes)

    def refresh_share(
        self,
        ciphertext: Ciphertext | bytes,
        *,
        plan: Plan,
        output: int | str | None = None,
        active: Iterable[str] = (),
        max_bytes: int = _LIMIT,
    ) -> bytes:
        """This party's shares of a refresh: afterwards the ciphertext is at the top level, and computing
        goes on. It is counted as an answer; what `decryption_share` says holds here, too."""
        self._expect(plan)
        return self._session.refresh_share(ciphertext, plan, output, list(active), max_bytes)

    def combine(
        self,
        ciphertext: Ciphertext | bytes,
        shares: Iterable[bytes],
        bits: int | None = None,
        *,
        complex: bool = False,
        all_slots: bool = False,
        max_bytes: int = _LIMIT,
    ) -> np.ndarray[Any, Any]:
        """The values, from the shares of as many parties as the threshold says, or more.

        - bits: to how many bits after the point values are rounded; BGV and BFV take none.
        - complex, all_slots: as for `Client.decrypt`.

        Raises `PartyMissingError` for too few shares, `TranscriptMismatchError` for shares of another
        ciphertext or with noise of another width, `SharesDisagreeError`, `WrongSessionError`,
        `NotSharableError` for more bits than the noise leaves, `GarbageError`.
        """
        return self._session.combine(ciphertext, list(shares), bits, complex, all_slots, max_bytes)

    def refresh(
        self, ciphertext: Ciphertext | bytes, shares: Iterable[bytes], *, max_bytes: int = _LIMIT
    ) -> Ciphertext:
        """The refreshed ciphertext, from the shares of as many parties as the threshold says. All who
        combine them get the same. Raises what `combine` does."""
        return self._session.refresh(ciphertext, list(shares), max_bytes)

    def _expect(self, plan: Plan) -> None:
        """Refuses a plan that was not agreed on, and what is no plan."""
        if not isinstance(plan, Plan):
            raise TypeError(f"plan: what ringjet.plan returned, not {type(plan).__name__}")
        self.party.spec._spec.expect_plan(_digest(plan))

    def __repr__(self) -> str:
        return repr(self._session)


def _chosen(made: Any, output: int | str | None) -> Ciphertext:
    """An output of what a function returned."""
    if output is None:
        return made
    return made[output]
