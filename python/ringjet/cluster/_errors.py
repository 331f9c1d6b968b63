"""Makes the errors of a cluster. Their classes are in `ringjet.errors`."""

from __future__ import annotations

from ..errors import ClusterError, ItemError, SecretError


def secret(what: str) -> SecretError:
    """The error for a secret that would be sent to the nodes."""
    error = SecretError(f"{what} holds a secret and is not sent to a cluster: keep it with the client")
    error.what = what
    return error


def item(index: int, cause: Exception, node: str, text: str) -> ItemError:
    """The error for an item whose function raised `cause`. It is an instance of the class of
    `cause` too, so that handlers written for one process work."""
    message = f"item {index}: {type(cause).__name__}: {cause} (on node {node})"
    error = _both(type(cause), message)
    # attributes such as `MissingRotationKeyError.rotation`
    for name, value in vars(cause).items():
        setattr(error, name, value)
    error.index, error.node, error.remote_traceback = index, node, text
    error.__cause__ = cause
    return error


def _both(kind: type[Exception], message: str) -> ItemError:
    """An `ItemError` that is a `kind` too, where Python can make such a class."""
    if kind is ItemError or issubclass(ItemError, kind):
        return ItemError(message)
    try:
        made: ItemError = type("ItemError", (ItemError, kind), {"__reduce__": _reduced})(message)
        return made if str(made) == message else ItemError(message)
    except TypeError:
        return ItemError(message)


def _reduced(error: ItemError) -> tuple[object, ...]:
    """For pickles, which cannot name the class: a plain `ItemError`."""
    return (
        ItemError,
        (str(error),),
        {k: v for k, v in vars(error).items() if k in ("index", "node", "remote_traceback")},
    )


def cluster(reason: str) -> ClusterError:
    """The error of a cluster that cannot do its work."""
    return ClusterError(reason)
