"""Arrays in the cloud, read from servers on this machine."""

from __future__ import annotations

import io
import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
import pytest

from tests.data.stores import NUMBERS, needs_cloud, read, refusal

LARGE = np.arange(2.0**21)
"""Two pieces."""


def npy(array: np.ndarray[Any, Any]) -> bytes:
    """As NumPy writes it."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def zarr_files(folder: Path) -> dict[str, bytes]:
    """Those of a store with the array x, in shards, by their names."""
    import zarr

    zarr.create_array(folder / "d.zarr" / "x", data=NUMBERS, chunks=(1, 2), shards=(2, 6))
    files = [path for path in (folder / "d.zarr").rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# --- S3 ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bucket() -> Iterator[tuple[Any, dict[str, str]]]:
    """A client of boto3's for a server of S3 on this machine, and the environment to reach it."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
    }  # fmt: skip
    client = boto3.client("s3", endpoint_url=environment["AWS_ENDPOINT_URL"], aws_access_key_id="a",
                          aws_secret_access_key="b", region_name="us-east-1")  # fmt: skip
    client.create_bucket(Bucket="bucket")
    yield client, environment
    server.stop()


@needs_cloud
@pytest.mark.filterwarnings("ignore")
def test_arrays_in_s3(
    tmp_path: Path, bucket: tuple[Any, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, environment = bucket
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    files = {"d/x.npy": npy(LARGE), "d/cut.npy": npy(LARGE)[:10_000], **zarr_files(tmp_path)}
    for name, data in files.items():
        client.put_object(Bucket="bucket", Key=name, Body=data)
    np.testing.assert_array_equal(read("s3://bucket/d/x.npy"), LARGE)
    np.testing.assert_array_equal(read("s3://bucket/d.zarr/x"), NUMBERS)
    assert refusal("s3://bucket/d/x.npy", 2**20).code == "limit-memory"
    assert refusal("s3://bucket/d/cut.npy").code == "data"
    assert refusal("s3://bucket/d/y.npy").code == "file"
    assert refusal("s3://bucket/d.zarr/y").code == "data"
    assert refusal("s3://bucket/h.csv").code == "file"
    assert refusal("ftp://b/x.npy").code == "usage"
    for name in environment:  # the same in AWS's own files
        monkeypatch.delenv(name)
    (tmp_path / "config").write_text(
        f"[profile p]\nregion=us-east-1\nendpoint_url={environment['AWS_ENDPOINT_URL']}\n"
    )
    (tmp_path / "keys").write_text("[p]\naws_access_key_id=a\naws_secret_access_key=b\n")
    monkeypatch.setenv("AWS_PROFILE", "p")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    np.testing.assert_array_equal(read("s3://bucket/d/x.npy"), LARGE)


# --- HTTPS, and Google's storage, which is HTTPS -------------------------------------------------


class Site(NamedTuple):
    """A server of files."""

    address: str
    """Without the scheme."""
    files: dict[str, bytes]
    """By their paths."""
    asked: list[tuple[str, str]]
    """The paths that were asked for, and of what ranges."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """One whose certificate is that of nobody but this machine."""
    files: dict[str, bytes] = {}
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        """Gives ranges, as RFC 9110 has them."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = unquote(self.path)
            whole = files.get(path)
            asked.append((path, self.headers.get("Range", "")))
            if whole is None:
                self._answer(404, b"", {})
                return
            first, last = 0, len(whole) - 1
            if given := self.headers.get("Range"):
                begin, _, end = given.removeprefix("bytes=").partition("-")
                first, last = int(begin), min(int(end), last)
                extent = {"Content-Range": f"bytes {first}-{last}/{len(whole)}"}
                self._answer(206, whole[first : last + 1], extent)
            else:
                self._answer(200, whole, {})

        def do_HEAD(self) -> None:
            self.do_GET()

        def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            known = {"Content-Length": str(len(body)), "ETag": '"1"',
                     "Last-Modified": "Mon, 05 Jan 2026 10:00:00 GMT"}  # fmt: skip
            for name, value in {**known, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made += ["-subj", "/CN=localhost", "-keyout", "site.key", "-out", "site.pem"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=CA:FALSE"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "site.pem", tmp_path / "site.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "site.pem"))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield Site(f"localhost:{server.server_port}", files, asked)
    server.shutdown()
    thread.join()
    server.server_close()


@needs_cloud
@pytest.mark.filterwarnings("ignore")
def test_arrays_behind_https(tmp_path: Path, site: Site) -> None:
    root = f"https://{site.address}"
    site.files["/d/x.npy"] = npy(LARGE)
    site.files["/d/cut.npy"] = npy(LARGE)[:10_000]
    site.files.update({f"/{name}": data for name, data in zarr_files(tmp_path).items()})
    np.testing.assert_array_equal(read(f"{root}/d/x.npy"), LARGE)
    ranges = [extent for path, extent in site.asked if path == "/d/x.npy" and extent]
    assert len(ranges) > 2  # the header, and two pieces
    np.testing.assert_array_equal(read(f"{root}/d.zarr/x"), NUMBERS)
    assert refusal(f"{root}/d/x.npy", 2**20).code == "limit-memory"
    assert refusal(f"{root}/d/cut.npy").code == "data"
    assert refusal(f"{root}/d/y.npy").code == "file"
    assert refusal(f"{root}/d.zarr/y").code == "data"


@needs_cloud
def test_a_site_that_nobody_vouches_for(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    site.files["/x.npy"] = npy(NUMBERS)
    wrong = refusal(f"https://{site.address}/x.npy")
    assert (wrong.code, site.asked) == ("file", [])


@needs_cloud
@pytest.mark.filterwarnings("ignore")
def test_arrays_in_googles_storage(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key file is where Google's tools look for it; this one sends to this machine."""
    key = {"gcs_base_url": f"https://{site.address}", "disable_oauth": True, "client_email": "",
           "private_key": "", "private_key_id": ""}  # fmt: skip
    (tmp_path / "key.json").write_text(json.dumps(key))
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(tmp_path / "key.json"))
    site.files["/bucket/d/x.npy"] = npy(LARGE)
    site.files.update({f"/bucket/{name}": data for name, data in zarr_files(tmp_path).items()})
    np.testing.assert_array_equal(read("gs://bucket/d/x.npy"), LARGE)
    np.testing.assert_array_equal(read("gs://bucket/d.zarr/x"), NUMBERS)
    assert refusal("gs://bucket/d/x.npy", 2**20).code == "limit-memory"
    assert refusal("gs://bucket/d/y.npy").code == "file"


def test_records_name_no_urls_unless_they_may() -> None:
    record = {"program": "sum(x)", "set": {"x": "@https://localhost:1/x.npy"}}
    command = [sys.executable, "-m", "gradcli", "batch", "--quiet"]
    done = subprocess.run(command, input=json.dumps(record), capture_output=True, text=True,
                          check=False)  # fmt: skip
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "data"
    assert "--allow-files" in error["message"] + error["hint"]
