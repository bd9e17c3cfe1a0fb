/** The wire format of signatures and secrets, shared by sender and receiver (webhook contract, section 5.2). */

export const SECRET_PREFIX = 'whsec_'
const VERSION_PREFIX = 'v1,'

/** The bytes to sign: `<id>.<timestamp>.<raw body>`, with the exact text of the timestamp header. */
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

/** The part before the body. Ids contain no period, so there is only one way to split the content. */
export function signedContentHead(id: string, timestamp: string): string {
  return `${id}.${timestamp}.`
}

/** One entry of `wh-signature`. */
export function formatV1Signature(base64Hmac: string): string {
  return VERSION_PREFIX + base64Hmac
}

/** The base64 HMACs of the `v1` entries in `wh-signature`. Other versions are ignored (webhook contract, section 9). */
export function v1Signatures(header: string): string[] {
  return header
    .split(' ')
    .filter((entry) => entry.startsWith(VERSION_PREFIX))
    .map((entry) => entry.slice(VERSION_PREFIX.length))
}

/** Decodes `whsec_<base64>` to the bytes of the key. Throws a `TypeError` whose message does not contain the secret. */
export function parseSecret(secret: unknown): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string' || !secret.startsWith(SECRET_PREFIX)) {
    throw new TypeError(
      `The webhook secret does not begin with ${SECRET_PREFIX}. Is it the full text of the secret?`,
    )
  }
  const base64 = secret.slice(SECRET_PREFIX.length)
  if (base64 === '')
    throw new TypeError(
      `The webhook secret has no key after ${SECRET_PREFIX}. Is it the full text of the secret?`,
    )
  // Stricter than atob(), which accepts missing padding and ignores white space.
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new TypeError(
      `The webhook secret is not base64 with padding after ${SECRET_PREFIX}. ` +
        'Is it cut short, or does it contain quotes, spaces or a line break?',
    )
  }
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
