"""Where the server listens: loopback only, since there is no authentication yet."""

from __future__ import annotations

import ipaddress
import socket

from ricordo.errors import InvalidSettings, UnsafeBinding

BACKLOG = 128


def listen(host: str, port: int) -> socket.socket:
    """Listen on a loopback address.

    Args:
        host: An address or a name; each address that it stands for must be loopback.
        port: 0 takes any free one.

    Raises:
        UnsafeBinding: The host is, or also is, another address than loopback.
        InvalidSettings: The host is not known, or the port cannot be had.
    """
    family, address = loopback_address(host)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise InvalidSettings(
            f"Port {port} of {host} cannot be listened on ({error.strerror}).",
            cure="Choose another port (RICORDO_PORT); 0 takes any free one.",
            field="port",
        ) from error
    return listener


def loopback_address(host: str) -> tuple[socket.AddressFamily, str]:
    """The loopback address that a host stands for, looked up once so that nothing changes after.

    Raises:
        UnsafeBinding: It stands for another address too.
        InvalidSettings: It stands for none.
    """
    if not host.strip():
        raise _unsafe(host)
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InvalidSettings(
            f"The host '{host}' is not known here.", cure="Use 127.0.0.1.", field="host"
        ) from error
    for _, _, _, _, place in found:
        if not _is_loopback(str(place[0])):
            raise _unsafe(host)
    if not found:
        raise InvalidSettings(f"The host '{host}' has no address.", cure="Use 127.0.0.1.", field="host")
    usable = min(found, key=lambda item: item[0] != socket.AF_INET)
    return usable[0], str(usable[4][0])


def address_of(listener: socket.socket) -> str:
    """The address that a browser takes, e.g. `http://127.0.0.1:8765`."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(parsed, "ipv4_mapped", None)
    return parsed.is_loopback if mapped is None else bool(mapped.is_loopback)


def _unsafe(host: str) -> UnsafeBinding:
    return UnsafeBinding(
        f"'{host}' is not a loopback address, and there is no authentication yet.",
        cure="Listen on 127.0.0.1, and reach it from elsewhere through a tunnel (ssh -L).",
        host=host,
    )
