"""A child that behaves as a submission might: each request names one way to do it. Runs inside the sandbox."""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from judge.runner.wire import encode


class Behaviours:
    """`handle` calls the method named by `request`; what it returns is the answer's header."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def handle(self, header: Mapping[str, Any], buffers: tuple[Any, ...]) -> tuple[dict[str, Any], list[Any]]:
        behave: Callable[[Mapping[str, Any]], dict[str, Any] | None] = getattr(self, header["request"])
        return behave(header) or {}, list(buffers)

    def echo(self, header: Mapping[str, Any]) -> dict[str, Any]:
        return {"echo": header.get("echo")}

    def spin(self, header: Mapping[str, Any]) -> None:
        while True:
            pass

    def spin_in_numpy_threads(self, header: Mapping[str, Any]) -> None:
        a = np.ones((1 << 20,))
        for _ in range(4):
            # sort lets other threads run.
            threading.Thread(target=lambda: [np.sort(a) for _ in range(10**6)], daemon=True).start()
        time.sleep(3600)

    def ignore_signals_and_spin(self, header: Mapping[str, Any]) -> None:
        for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        self.spin(header)

    def sleep(self, header: Mapping[str, Any]) -> None:
        time.sleep(3600)

    def stop(self, header: Mapping[str, Any]) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def hoard(self, header: Mapping[str, Any]) -> None:
        while True:
            self.kept.append(b"x" * (1 << 22))

    def spike(self, header: Mapping[str, Any]) -> None:
        self.kept.append(np.ones(header["bytes"] // 8))
        self.kept.clear()

    def allocate_far_too_much(self, header: Mapping[str, Any]) -> None:
        self.kept.append(np.ones(1 << 36))

    def die_of_bad_alloc(self, header: Mapping[str, Any]) -> None:
        os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
        os.abort()

    def flood_stdout(self, header: Mapping[str, Any]) -> None:
        while True:
            print("x" * 1000)

    def flood_stderr(self, header: Mapping[str, Any]) -> None:
        while True:
            os.write(2, b"y" * 65536)

    def warn(self, header: Mapping[str, Any]) -> None:
        for number in range(header["lines"]):
            print("warning", number, file=sys.stderr)

    def say(self, header: Mapping[str, Any]) -> None:
        print(header["text"])

    def write_bytes(self, header: Mapping[str, Any]) -> None:
        os.write(1, bytes(range(256)))

    def close_stdio(self, header: Mapping[str, Any]) -> None:
        for descriptor in (0, 1, 2):
            os.close(descriptor)

    def exit(self, header: Mapping[str, Any]) -> None:
        os._exit(header["code"])

    def system_exit(self, header: Mapping[str, Any]) -> None:
        raise SystemExit(header["code"])

    def kill_itself(self, header: Mapping[str, Any]) -> None:
        os.kill(os.getpid(), header["signal"])

    def crash(self, header: Mapping[str, Any]) -> None:
        ctypes.string_at(0)

    def garbage(self, header: Mapping[str, Any]) -> None:
        os.write(channel(), b"GARBAGE" * 100)

    def huge_frame(self, header: Mapping[str, Any]) -> None:
        os.write(channel(), encode({"id": 1})[:8] + b"\xff" * 12)

    def half_a_frame_and_sleep(self, header: Mapping[str, Any]) -> None:
        os.write(channel(), encode({"id": 1})[:-2])
        time.sleep(3600)

    def half_a_frame_and_exit(self, header: Mapping[str, Any]) -> None:
        os.write(channel(), encode({"id": 1})[:-2])
        os._exit(0)

    def answer_twice(self, header: Mapping[str, Any]) -> dict[str, Any]:
        os.write(channel(), encode({"id": header["id"], "first": True}))
        return {"second": True}

    def answer_the_next_too_and_exit(self, header: Mapping[str, Any]) -> None:
        # The second comes when the judge has taken the first, and says so.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        os.write(channel(), encode({"id": header["id"]}))
        signal.sigwait({signal.SIGUSR1})
        os.write(channel(), encode({"id": header["id"] + 1}))
        os._exit(0)

    def wrong_id(self, header: Mapping[str, Any]) -> None:
        os.write(channel(), encode({"id": header["id"] + 1}))
        time.sleep(3600)

    def id_that_is_only_equal(self, header: Mapping[str, Any]) -> None:
        os.write(channel(), encode({"id": float(header["id"])}))
        time.sleep(3600)

    def hang_up(self, header: Mapping[str, Any]) -> None:
        os.close(channel())
        time.sleep(3600)

    def raise_with_a_hostile_name(self, header: Mapping[str, Any]) -> None:
        raise type("E" * 10_000, (Exception,), {"__str__": lambda self: self.__str__()})

    def tamper_with_the_count_of_devices(self, header: Mapping[str, Any]) -> dict[str, Any]:
        import jax

        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"
        os.environ["JAX_NUM_CPU_DEVICES"] = "3"
        try:
            jax.config.update("jax_num_cpu_devices", 3)
        except RuntimeError as error:
            return {"devices": len(jax.devices()), "refused": type(error).__name__}
        return {"devices": len(jax.devices()), "refused": ""}

    def deadlock(self, header: Mapping[str, Any]) -> None:
        import jax
        import jax.numpy as jnp
        from jax.sharding import Mesh, PartitionSpec

        rows = PartitionSpec("data")

        def body(x: Any) -> Any:
            mine = jax.lax.axis_index("data") < 4
            return jax.lax.cond(mine, lambda v: jax.lax.psum(v, "data"), lambda v: v * 2, x)

        mesh = Mesh(np.array(jax.devices()), ("data",))
        mapped = jax.shard_map(body, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False)
        jax.block_until_ready(jax.jit(mapped)(jnp.arange(8.0)))

    def psum(self, header: Mapping[str, Any]) -> dict[str, Any]:
        import jax
        import jax.numpy as jnp
        from jax.sharding import Mesh, PartitionSpec

        mesh = Mesh(np.array(jax.devices()), ("data",))
        add: Any = jax.shard_map(
            lambda x: jax.lax.psum(x, "data"), mesh=mesh, in_specs=PartitionSpec("data"), out_specs=PartitionSpec()
        )
        jitted: Any = jax.jit(add)
        return {"sum": float(jitted(jnp.arange(float(len(jax.devices()))))[0])}

    def try_to_leave(self, header: Mapping[str, Any]) -> dict[str, Any]:
        results = {}
        attempts: dict[str, Callable[[], object]] = {
            "fork": os.fork,
            "system": lambda: os.execv("/bin/true", ["true"]),
            "kill all": lambda: os.kill(-1, signal.SIGKILL),
            "kill parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
            "stop parent": lambda: os.kill(os.getppid(), signal.SIGSTOP),
        }
        for name, attempt in attempts.items():
            try:
                attempt()
                results[name] = "done"
            except OSError as error:
                results[name] = str(error.errno)
        return {"results": results}


def channel() -> int:
    """The one socket that is open here."""
    for descriptor in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                return descriptor
        except OSError:
            continue
    raise AssertionError("no socket is open")


class ExitsWhenMade:
    def __init__(self) -> None:
        os._exit(0)
