"""Receives deliveries of Posthorn. README.md says how to run it."""

import base64, hmac, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def process(id, body):
    # Store the event here, with the id in a unique column: deliveries can repeat.
    print(id, body.decode(), flush=True)


def is_authentic(headers, body):
    id, timestamp, signatures = (headers.get(f"wh-{name}", "") for name in ("id", "timestamp", "signature"))
    if not timestamp.isdecimal() or abs(int(time.time()) - int(timestamp)) > 300:
        return False
    content = f"{id}.{timestamp}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, content, "sha256")) for key in KEYS]
    return any(hmac.compare_digest(given, own) for given in signatures.encode().split() for own in expected)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= 257 * 1024:
            return self.send_error(413)
        body = self.rfile.read(length)
        if not is_authentic(self.headers, body):
            return self.send_error(400)
        try:
            if self.headers["wh-test"] != "true":
                process(self.headers["wh-id"], body)
        except Exception:
            self.send_error(500)
            raise
        self.send_response(204)
        self.end_headers()


try:
    SECRETS = os.environ.get("WEBHOOK_SECRET", "").split(" ")
    KEYS = [base64.b64decode(re.fullmatch("whsec_(.+)", one)[1], validate=True) for one in SECRETS]
except (TypeError, ValueError):
    sys.exit("Set WEBHOOK_SECRET to the signing secret: whsec_…")
ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
