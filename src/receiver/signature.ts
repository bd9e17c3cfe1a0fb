/** The wire format of signatures and secrets: what the sender and the receiver must agree on, once. */

export const SECRET_PREFIX = 'whsec_'
const VERSION_PREFIX = 'v1,'

/** The bytes to sign: `<id>.<timestamp>.<raw body>`, with the timestamp as it stands in its header. */
export function signedContent(
  id: string,
  timestamp: string,
  body: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(signedContentHead(id, timestamp))
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

/** What precedes the body. Ids have no period in them, so the content can be split in one way only. */
export function signedContentHead(id: string, timestamp: string): string {
  return `${id}.${timestamp}.`
}

/** One entry of `wh-signature`. */
export function formatV1Signature(base64Hmac: string): string {
  return VERSION_PREFIX + base64Hmac
}

/** The base64 HMACs of the `v1` entries in `wh-signature`; other versions are left for receivers to come. */
export function v1Signatures(header: string): string[] {
  return header
    .split(' ')
    .filter((entry) => entry.startsWith(VERSION_PREFIX))
    .map((entry) => entry.slice(VERSION_PREFIX.length))
}

/** `whsec_<base64>` -> the key's bytes. Throws a `TypeError`, whose message does not contain the secret. */
export function parseSecret(secret: string): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string' || !secret.startsWith(SECRET_PREFIX)) {
    throw new TypeError(
      `A webhook secret begins with ${SECRET_PREFIX}; the one given does not. Is it the secret's full text?`,
    )
  }
  const base64 = secret.slice(SECRET_PREFIX.length)
  if (base64 === '')
    throw new TypeError(
      `A webhook secret has a key after ${SECRET_PREFIX}; the one given has none.`,
    )
  // Stricter than atob(), which forgives missing padding and ignores white space.
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new TypeError(
      `A webhook secret is base64 with padding after ${SECRET_PREFIX}; the one given is not. ` +
        'Is it cut short, or does it carry quotes, spaces or a line end?',
    )
  }
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
