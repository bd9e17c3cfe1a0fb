//! Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it.

use base64::{engine::general_purpose::STANDARD, Engine};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::collections::{HashSet, VecDeque};
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, process::exit, thread};
use tiny_http::{Request, Response, Server};

const TOLERANCE_SECONDS: u64 = 300;
const MAX_BODY_BYTES: u64 = 257 * 1024;
const MAX_IDS: usize = 10_000;

fn header<'a>(request: &'a Request, name: &'static str) -> &'a str {
    let found = request.headers().iter().find(|header| header.field.equiv(name));
    found.map_or("", |header| header.value.as_str())
}

/// Whether a delivery is authentic. The body is the raw bytes, which the signature covers.
fn verify(body: &[u8], request: &Request, keys: &[Vec<u8>]) -> bool {
    let (id, timestamp) = (header(request, "wh-id"), header(request, "wh-timestamp"));
    if id.is_empty() || timestamp.is_empty() || !timestamp.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let Ok(seconds) = timestamp.parse::<u64>() else { return false };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970").as_secs();
    if now.abs_diff(seconds) > TOLERANCE_SECONDS {
        return false;
    }
    let signatures: Vec<Vec<u8>> = header(request, "wh-signature")
        .split(' ')
        .filter_map(|pair| STANDARD.decode(pair.strip_prefix("v1,")?).ok())
        .collect();
    keys.iter().any(|key| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        // Compares in constant time.
        signatures.iter().any(|signature| mac.clone().verify_slice(signature).is_ok())
    })
}

/// Store the event durably here, and work on it later: Posthorn waits 15 seconds for the answer.
fn process(id: &str, body: &[u8]) -> io::Result<()> {
    let line = [id.as_bytes(), b" ", body, b"\n"].concat();
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

/// Lost with the process. Better: a unique column for the id, in the transaction that stores the event.
#[derive(Default)]
struct Processed {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Processed {
    /// Deliveries can repeat. If `process` fails, the id is not remembered, and the retry is processed.
    fn process_once(&mut self, id: &str, body: &[u8]) -> io::Result<()> {
        if self.ids.contains(id) {
            return Ok(());
        }
        process(id, body)?;
        self.ids.insert(id.to_string());
        self.order.push_back(id.to_string());
        if self.order.len() > MAX_IDS {
            self.order.pop_front().map(|oldest| self.ids.remove(&oldest));
        }
        Ok(())
    }
}

fn receive(request: &mut Request, keys: &[Vec<u8>], processed: &Mutex<Processed>) -> u16 {
    let mut body = Vec::new();
    let mut limited = request.as_reader().take(MAX_BODY_BYTES + 1);
    if limited.read_to_end(&mut body).is_err() {
        return 400;
    }
    if body.len() as u64 > MAX_BODY_BYTES {
        return 413;
    }
    if !verify(&body, request, keys) {
        return 400;
    }
    // The test of a webhook tells of no event.
    if header(request, "wh-test") == "true" {
        return 204;
    }
    let mut processed = processed.lock().expect("a thread that did not panic");
    match processed.process_once(header(request, "wh-id"), &body) {
        Ok(()) => 204,
        Err(error) => {
            eprintln!("{error}");
            500
        }
    }
}

/// During a rotation, the variable has the old and the new secret, separated by a space.
fn keys() -> Option<Vec<Vec<u8>>> {
    let secrets = env::var("WEBHOOK_SECRET").ok()?;
    let keys: Option<Vec<_>> = secrets
        .split_whitespace()
        .map(|secret| STANDARD.decode(secret.strip_prefix("whsec_")?).ok().filter(|key| !key.is_empty()))
        .collect();
    keys.filter(|keys| !keys.is_empty())
}

fn main() {
    let Some(keys) = keys() else {
        eprintln!("Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…");
        exit(1);
    };
    let port = env::var("PORT").unwrap_or("3000".into());
    let server = Arc::new(Server::http(format!("127.0.0.1:{port}")).expect("a free port"));
    let shared = Arc::new((keys, Mutex::new(Processed::default())));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (server, shared) = (server.clone(), shared.clone());
            thread::spawn(move || {
                for mut request in server.incoming_requests() {
                    let status = receive(&mut request, &shared.0, &shared.1);
                    // The sender may be gone.
                    let _ = request.respond(Response::empty(status));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a thread that did not panic");
    }
}
