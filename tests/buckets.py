"""An S3 of this machine: moto on the loopback address, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

KEYS = {
    "AWS_ACCESS_KEY_ID": "mine",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}
SERVER = """
import boto3, logging, sys
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer("127.0.0.1", 0)
server.start()
url = "http://{}:{}".format(*server.get_host_and_port())
boto3.client("s3", endpoint_url=url).create_bucket(Bucket="bucket")
print(url, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The URL of an empty bucket that this process and its children can reach."""
    if "CI" not in os.environ:
        for package in ("obstore", "moto", "flask", "boto3"):
            pytest.importorskip(package, reason="the remote and dev packages")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        lines = (line.strip() for line in server.stdout)
        url = next(line for line in lines if line.startswith("http"))
        patch.setenv("AWS_ENDPOINT_URL", url)
        yield "s3://bucket"
        server.communicate()
