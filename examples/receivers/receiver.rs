//! Receives deliveries of Posthorn. README.md says how to run it.

use base64::{engine::general_purpose::STANDARD, Engine};
use hmac::{Hmac, Mac};
use std::io::{self, Read, Write};
use std::{env, process::exit, thread, time::SystemTime};
use tiny_http::{Request, Response, Server};

type Key = Hmac<sha2::Sha256>;

fn process(id: &str, body: &[u8]) -> io::Result<()> {
    // Store the event here, with the id in a unique column: deliveries can repeat.
    writeln!(io::stdout(), "{id} {}", String::from_utf8_lossy(body))
}

fn header<'a>(request: &'a Request, name: &'static str) -> &'a str {
    let found = request.headers().iter().find(|header| header.field.equiv(name));
    found.map_or("", |header| header.value.as_str())
}

fn is_authentic(request: &Request, body: &[u8], keys: &[Key]) -> bool {
    let (id, timestamp) = (header(request, "wh-id"), header(request, "wh-timestamp"));
    let now = SystemTime::UNIX_EPOCH.elapsed().expect("a time after 1970").as_secs();
    let is_recent = timestamp.parse().is_ok_and(|seconds| now.abs_diff(seconds) <= 300);
    let mut signatures = header(request, "wh-signature")
        .split(' ')
        .filter_map(|signature| STANDARD.decode(signature.strip_prefix("v1,")?).ok());
    let mac = |key: &Key| key.clone().chain_update(format!("{id}.{timestamp}.")).chain_update(body);
    is_recent
        && signatures.any(|given| keys.iter().any(|key| mac(key).verify_slice(&given).is_ok()))
}

fn receive(request: &mut Request, keys: &[Key]) -> io::Result<u16> {
    let mut body = Vec::new();
    request.as_reader().take(257 * 1024 + 1).read_to_end(&mut body)?;
    if body.len() > 257 * 1024 {
        return Ok(413);
    }
    if !is_authentic(request, &body, keys) {
        return Ok(400);
    }
    if header(request, "wh-test") != "true" {
        process(header(request, "wh-id"), &body)?;
    }
    Ok(204)
}

fn key(secret: &str) -> Option<Key> {
    let bytes = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
    Key::new_from_slice(&bytes).ok().filter(|_| !bytes.is_empty())
}

fn main() {
    let secrets = env::var("WEBHOOK_SECRET").unwrap_or_default();
    let Some(keys) = secrets.split(' ').map(key).collect::<Option<Vec<_>>>() else {
        eprintln!("Set WEBHOOK_SECRET to the signing secret: whsec_…");
        exit(1);
    };
    let port = env::var("PORT").unwrap_or("3000".into());
    let server = Server::http(format!("127.0.0.1:{port}")).expect("a free port");
    thread::scope(|threads| {
        for mut request in server.incoming_requests() {
            let keys = &keys;
            threads.spawn(move || {
                let status = receive(&mut request, keys).inspect_err(|error| eprintln!("{error}"));
                request.respond(Response::empty(status.unwrap_or(500)))
            });
        }
    });
}
