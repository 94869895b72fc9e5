"""Objects in the cloud, `s3://`, `gs://`, `https://`, through obstore: part after part.

Credentials come from where users of these services keep them: the variables of the environment
(AWS_…, GOOGLE_…), AWS's files and profiles, and the machine's own role.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from gradcli.data.chunks import Extent, Fetch, require_short
from gradcli.data.formats import Location
from gradcli.data.npy import LONGEST_HEADER, parse_header, require_bytes, require_memory
from gradcli.diagnostics import GradcliError
from gradcli.extras import require
from gradcli.graph import Array

PIECE = 2**23
"""Bytes that are asked for at once."""
PATIENCE = timedelta(seconds=30)
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def read(place: Location, memory: int) -> Array:
    """The array of a `.npy` object, whose parts are fetched one after another.

    Raises `file`, `data`, and `limit-memory` before anything is allocated.
    """
    url = place.path
    store, name = _store(url)
    size = _size(store, name, url)
    if size is None:
        raise GradcliError("file", f"there is no {url!r}")
    header = parse_header(_range(store, name, 0, min(size, LONGEST_HEADER), url), url)
    require_bytes(header, size - header.size, url)
    require_memory(header.nbytes, memory, url)
    data = np.empty(header.nbytes, np.uint8)
    for start in range(0, header.nbytes, PIECE):
        stop = min(start + PIECE, header.nbytes)
        part = _range(store, name, header.size + start, header.size + stop, url)
        if len(part) != stop - start:
            raise GradcliError("file", f"{url} was cut short while it was read")
        data[start:stop] = np.frombuffer(part, np.uint8)
    return header.array(data)


def objects(url: str) -> Fetch:
    """The objects whose names begin with a URL, which is that of a zarr store."""
    store, prefix = _store(url)

    def fetch(name: str, most: int, part: Extent | None) -> bytes | None:
        path = f"{prefix}/{name}"
        size = _size(store, path, url)
        if size is None:
            return None
        start, stop = (part or Extent(0)).span(size)
        require_short(name, stop - start, most)
        return _range(store, path, start, stop, url) if stop > start else b""

    return fetch


def _store(url: str) -> tuple[Any, str]:
    """The store that a URL names, and the object's name in it. Raises `usage`."""
    scheme, place, path, query, _ = urlsplit(url)
    obstore = require("cloud")
    from obstore import store

    allow_http = scheme == "http" and urlsplit(url).hostname in LOOPBACK
    options: dict[str, Any] = {"timeout": PATIENCE, "allow_http": allow_http}
    retry = {"max_retries": 3, "retry_timeout": PATIENCE}
    name = unquote(path.strip("/"))
    try:
        if scheme == "s3":
            config = _amazon(os.environ)
            options["allow_http"] = str(config.get("endpoint", "")).startswith("http://")
            return store.S3Store(place, config=config, client_options=options,
                                 retry_config=retry), name  # fmt: skip
        if scheme == "gs":
            return store.GCSStore(place, client_options=options, retry_config=retry), name
        if (scheme == "https" or allow_http) and not query:
            root = f"{scheme}://{place}/"
            made = store.HTTPStore.from_url(root, client_options=options, retry_config=retry)
            return made, name
    except (obstore.exceptions.BaseError, ValueError) as error:
        raise GradcliError("file", f"cannot open {url}: {_first(error)}") from None
    raise GradcliError(
        "usage",
        f"{url[:80]!r} is not read",
        hint="s3://BUCKET/NAME, gs://BUCKET/NAME or https://HOST/NAME, without a query",
    )


def _amazon(environment: Mapping[str, str]) -> dict[str, Any]:
    """What AWS's files of profiles say; the environment's variables come before them."""
    from configparser import ConfigParser, Error

    profile = environment.get("AWS_PROFILE", "default")
    found: dict[str, Any] = {}
    home = os.path.expanduser("~/.aws")
    files = {
        environment.get("AWS_CONFIG_FILE", f"{home}/config"): f"profile {profile}",
        environment.get("AWS_SHARED_CREDENTIALS_FILE", f"{home}/credentials"): profile,
    }
    for path, name in files.items():
        parser = ConfigParser(interpolation=None)
        try:
            parser.read(path)
        except (Error, OSError, UnicodeError):
            continue
        section = name if parser.has_section(name) else profile
        if parser.has_section(section):
            found |= dict(parser[section])
    meant = {
        "access_key_id": ("AWS_ACCESS_KEY_ID", "aws_access_key_id"),
        "secret_access_key": ("AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"),
        "session_token": ("AWS_SESSION_TOKEN", "aws_session_token"),
        "region": ("AWS_REGION", "region"),
        "endpoint": ("AWS_ENDPOINT_URL_S3", "endpoint_url"),
    }
    config = {
        key: environment.get(variable, found.get(entry)) for key, (variable, entry) in meant.items()
    }
    config["region"] = config["region"] or environment.get("AWS_DEFAULT_REGION")
    config["endpoint"] = environment.get("AWS_ENDPOINT_URL", config["endpoint"])
    return {key: value for key, value in config.items() if value}


def _size(store: Any, name: str, url: str) -> int | None:
    """The bytes of an object; None if there is none."""
    obstore = require("cloud")
    try:
        return int(obstore.head(store, name)["size"])
    except FileNotFoundError:
        return None
    except (obstore.exceptions.BaseError, OSError, ValueError) as error:
        raise GradcliError("file", f"cannot read {url}: {_first(error)}") from None


def _range(store: Any, name: str, start: int, stop: int, url: str) -> bytes:
    obstore = require("cloud")
    try:
        return bytes(obstore.get_range(store, name, start=start, end=stop))
    except (obstore.exceptions.BaseError, OSError, ValueError) as error:
        raise GradcliError("file", f"cannot read {url}: {_first(error)}") from None


def _first(error: Exception) -> str:
    """The first line of a library's message."""
    return str(error).partition("\n")[0][:200]
