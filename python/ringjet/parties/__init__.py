"""Several parties with one secret: they make keys together, anybody encrypts and computes with them,
and as many of the parties as they agreed on decrypt together.

    params = rj.preset("n15-share-depth5", parties=3, threshold=2)
    plans = [rj.plan(mean, params, magnitudes=10, public_key=True)]
    spec = parties.Spec(params, names=["A", "B", "C"], threshold=2, plans=plans)
    me = parties.Party(spec, "A", path="hospital-a.party")
    me.receive(...)                      # the hellos of B and C, which came in private
    session = me.session()
    while not session.ready:
        session.receive(...)             # what all others sent for session.next()
    server = rj.Server(session.evaluation_keys)
    mine = session.encrypt(values, magnitude=10)
    session.verify(result, mean, inputs)
    share = session.decryption_share(result, plan=plans[0])
    values = session.combine(result, [share, ...], bits=12)

More than eight parties also deal points (`session.deal`), and name those who answer (`active=`).

The messages are bytes; how they travel is up to the parties. Hellos and deals are secret and must
travel in private. All others may be seen by everybody, but must come from whom they name.
`parties.Mailbox` carries them over a service.

What is proved and what is not is in the guide, "Several parties", and in SECURITY.md.
"""

from ._mailbox import Mailbox
from ._party import Party
from ._session import Session
from ._spec import Spec

__all__ = ["Mailbox", "Party", "Session", "Spec"]
