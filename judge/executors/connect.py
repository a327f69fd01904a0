"""The way to a cluster: a connection to its scheduler, or workers started here.

Dask sends functions and errors as pickles, so the scheduler and the workers must be machines that are trusted as this one is. As
data this side takes nothing but bytes.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory

from distributed import Client, LocalCluster
from distributed.security import Security

from judge.errors import UsageError
from judge.executors.cluster import Cluster, Patience
from judge.executors.target import Target
from judge.model.case import Bank
from judge.model.problem import Problem

CONNECT_S = 30.0


@contextmanager
def cluster(
    target: Target,
    problems: Mapping[str, Problem],
    cases: Mapping[str, Bank],
    *,
    unsafe: bool,
    patience: Patience | None = None,
) -> Iterator[Cluster]:
    """A cluster with at least one worker that may be given work; workers started here are ended with it.

    Raises:
        UsageError: there is no scheduler or no worker, or every worker was refused.
    """
    with ExitStack() as stack:
        client = stack.enter_context(_connected(target, stack))
        found = Cluster(client, target, problems, cases, unsafe=unsafe, patience=patience or Patience())
        stack.callback(found.stop)
        stack.enter_context(_interrupting(found))
        found.wait()
        yield found


def _connected(target: Target, stack: ExitStack) -> Client:
    # Dask's warnings are about its own insides; what matters to a grader is said by us.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    security = _temporary(target) if target.workers else _security(target)
    address = (
        stack.enter_context(_started(target, security, stack)).scheduler_address if target.workers else target.address
    )
    try:
        return Client(
            address,
            security=security,
            timeout=CONNECT_S,
            name="judge",
            set_as_default=False,
            # As data, bytes and no pickles.
            serializers=["msgpack"],
            deserializers=["msgpack", "error"],
        )
    except (OSError, TimeoutError, ValueError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(
            f"the scheduler at {address} cannot be reached ({why}); start it with `dask scheduler`, and say tls:// where it is "
            "encrypted and tcp:// where it is not"
        ) from error


def _security(target: Target) -> Security:
    """What encrypts the connection: the files that were named, else what Dask's configuration and environment say."""
    named = target.tls
    files = (
        {
            "tls_ca_file": str(named.authority),
            "tls_client_cert": str(named.certificate),
            "tls_client_key": str(named.key),
            "require_encryption": True,
        }
        if named is not None
        else {}
    )
    security = Security(**files)
    if not target.address.startswith("tls:"):
        return security
    try:
        usable = security.get_connection_args("client")["ssl_context"] is not None
    except OSError as error:
        raise UsageError(
            f"the certificates for {target} cannot be used ({error}); name PEM files that belong together"
        ) from error
    if not usable:
        raise UsageError(
            f"{target} needs certificates; name them with --tls-ca, --tls-cert and --tls-key, or in Dask's configuration under "
            "distributed.comm.tls"
        )
    return security


def _temporary(target: Target) -> Security:
    # On a plain port any user of this machine could have the workers run something.
    try:
        security: Security = Security.temporary()
    except ImportError as missing:
        raise UsageError(f"--cluster {target}: {missing}; install it: pip install 'jax-judge[cluster]'") from missing
    return security


def _started(target: Target, security: Security, stack: ExitStack) -> LocalCluster:
    folder = stack.enter_context(TemporaryDirectory(prefix="judge-"))
    with _uninterrupted():
        return LocalCluster(
            n_workers=target.workers,
            threads_per_worker=1,
            memory_limit=None,
            dashboard_address=None,
            security=security,
            silence_logs=logging.CRITICAL,
            local_directory=folder,
        )


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes started here never see Ctrl-C, which the terminal sends to all: it is for this one, which then ends them."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def _interrupting(found: Cluster) -> Iterator[None]:
    """Ctrl-C is noted, and raised where the cluster looks: Python drops one that falls into a finaliser, and Dask has many."""

    def interrupt(*_: object) -> None:
        if found.interrupted:
            raise KeyboardInterrupt
        found.interrupted = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
