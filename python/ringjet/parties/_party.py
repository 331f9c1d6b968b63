"""A party: its pieces of the secret, and its record."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import NoReturn

from .._ringjet import PartyKeys
from ._session import Session
from ._spec import Spec


class Party:
    """One of several parties. It holds pieces of the secret, and is never sent.

    `Party(spec, "A", path="a.party")` makes a new party, or goes on with the one that the file holds:
    the same program runs again after a crash. The file is for its owner alone (mode 0600), locked as
    long as the party lives, and replaced before anything that follows from a change leaves the party.
    A copy of the file must not be used beside it: neither would know what the other answered.

    Without a path the party is in memory only. seed: 32 bytes from which everything follows, for tests.

    Raises `ArgumentError` for a name that is not in the spec, and for a file of another spec or name;
    `StreamError` for a file that another process has open, or that cannot be written.
    """

    def __init__(
        self,
        spec: Spec,
        name: str,
        *,
        path: str | PathLike[str] | None = None,
        seed: bytes | None = None,
    ) -> None:
        self.spec = spec
        self._party = PartyKeys(spec._spec, name, path, seed)

    @classmethod
    def load(cls, path: str | PathLike[str], *, allow_insecure: bool = False) -> Party:
        """The party in a file. Raises `StreamError` and `MalformedError`."""
        made = cls.__new__(cls)
        made._party = PartyKeys.load(path, allow_insecure)
        made.spec = Spec._of(made._party.spec)
        return made

    @property
    def name(self) -> str:
        """The name of this party."""
        return self._party.name

    @property
    def answers_given(self) -> int:
        """How many ciphertexts it has answered."""
        return self._party.answers_given

    @property
    def session_id(self) -> str:
        """The identity of the session, in hexadecimal. Raises `PartyMissingError` before the hellos of
        all others have come."""
        return self._party.session_id

    def hello(self) -> dict[str, bytes]:
        """What each other party gets first, by its name. **It holds pieces of the secret**: it must travel
        in private, and come from this party. The same bytes come again when it is called again."""
        return self._party.hello()

    def receive(self, hellos: Iterable[bytes]) -> None:
        """Takes the hellos of other parties, in any order; they may come again.

        Raises `PartyMissingError` until all have come: what came is kept. `TranscriptMismatchError` for
        a party that agreed on something else, or said something else before; `ArgumentError` for a
        hello to somebody else; `MalformedError`.
        """
        self._party.receive(list(hellos))

    def session(self) -> Session:
        """The session of all parties, with the keys that they make. Raises `PartyMissingError` before the
        hellos of all others have come."""
        return Session(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a party is not pickled, lest its pieces of the secret end up in a file by accident")

    def __repr__(self) -> str:
        return repr(self._party)
