"""Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it."""

import base64
import hashlib
import hmac
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 257 * 1024
MAX_IDS = 10_000


def verify(body: bytes, headers, keys: list[bytes]) -> bool:
    """Whether a delivery is authentic. `body` is the raw bytes, which the signature covers."""
    id = headers.get("wh-id")
    timestamp = headers.get("wh-timestamp")
    signatures = headers.get("wh-signature")
    if not id or not timestamp or not signatures:
        return False
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        return False
    if abs(int(time.time()) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    content = f"{id}.{timestamp}.".encode() + body
    expected = [base64.b64encode(hmac.digest(key, content, hashlib.sha256)) for key in keys]
    return any(
        hmac.compare_digest(pair[3:].encode(), signature)
        for pair in signatures.split(" ")
        if pair.startswith("v1,")
        for signature in expected
    )


def process(id: str, body: bytes) -> None:
    """Store the event durably here, and work on it later: Posthorn waits 15 seconds for the answer."""
    sys.stdout.buffer.write(id.encode() + b" " + body + b"\n")
    sys.stdout.buffer.flush()


# Lost with the process. Better: a unique column for the id, in the transaction that stores the event.
processed: dict[str, None] = {}
lock = threading.Lock()


def process_once(id: str, body: bytes) -> None:
    """Deliveries can repeat. If `process` fails, the id is not remembered, and the retry is processed."""
    with lock:
        if id in processed:
            return
        process(id, body)
        processed[id] = None
        if len(processed) > MAX_IDS:
            del processed[next(iter(processed))]


class Receiver(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self):
        self.send_response(self.receive())
        self.end_headers()

    def receive(self) -> int:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            return 413
        body = self.rfile.read(int(length))
        if not verify(body, self.headers, KEYS):
            return 400
        # The test of a webhook tells of no event.
        if self.headers.get("wh-test") != "true":
            try:
                process_once(self.headers["wh-id"], body)
            except Exception as error:
                print(error, file=sys.stderr)
                return 500
        return 204

    def log_message(self, *arguments):
        pass


# During a rotation: the old and the new secret, separated by a space.
SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()
if not SECRETS or not all(re.fullmatch("whsec_.+", secret) for secret in SECRETS):
    sys.exit("Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…")
KEYS = [base64.b64decode(secret[6:], validate=True) for secret in SECRETS]
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
