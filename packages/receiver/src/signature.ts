/** The wire format of signatures and secrets, shared by sender and receiver (webhook contract, section 5.2). */

export const SECRET_PREFIX = 'whsec_'
/** Begins each entry of `wh-signature`; the base64 of its HMAC follows. */
export const VERSION_PREFIX = 'v1,'

/**
 * The bytes to sign: `<id>.<timestamp>.<raw body>`, with the exact text of the timestamp header. Ids contain no period, so
 * there is only one way to split them.
 */
export function signedContent(
  id: string,
  timestamp: string,
  body: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
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

/**
 * The signing secret of the webhook, `whsec_` followed by base64. During a rotation, a list of the old and the new one,
 * in any order: a signature made with either is accepted. Of a list, `undefined` entries are skipped, so that it can name
 * an environment variable that is set during a rotation only.
 *
 * `undefined` is a `TypeError` when a delivery is verified. The type accepts it, as `process.env.WEBHOOK_SECRET` has it.
 */
export type WebhookSecret = string | readonly (string | undefined)[] | undefined

/** The keys with the index of their secret. Throws a `TypeError`, without the secret, if there is none or one is malformed. */
export function parseSecrets(
  secret: WebhookSecret,
): { secretIndex: number; key: Uint8Array<ArrayBuffer> }[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const keys = secrets.flatMap((one, secretIndex) =>
    one === undefined ? [] : { secretIndex, key: parseSecret(one) },
  )
  if (keys.length > 0) return keys
  throw new TypeError(
    'Pass a webhook secret, whsec_…, or a list of them; there is none. Is the variable that contains it set?',
  )
}

/** HMAC-SHA256 in base64, computed with Web Crypto, which every supported runtime has. */
export async function hmacSha256(
  keyBytes: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { subtle } = globalThis.crypto
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', keyBytes, algorithm, false, ['sign'])
  const hmac = await subtle.sign('HMAC', key, content)
  return btoa(String.fromCharCode(...new Uint8Array(hmac)))
}
