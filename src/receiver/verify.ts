import { type ReceivedHeaders, readHeader } from './headers.ts'
import { hmacSha256 } from './hmac.ts'
import { type RawBody, toBytes } from './raw-body.ts'
import { parseSecret, signedContent, v1Signatures } from './signature.ts'
import type { RejectedDelivery, RejectionReason, Verification } from './verification.ts'
import { readOptions, type VerifyOptions } from './verify-options.ts'

/** How far `wh-timestamp` may be from the receiver's clock, before or after, bounds included. */
const TOLERANCE_SECONDS = 300

/**
 * Tells whether a delivery is authentic: signed by the holder of the secret, and fresh. Both are checked.
 *
 * @param rawBody The request's body as received. Give the bytes themselves: they are what was signed. A
 *   body that was parsed and serialized again, or decoded and encoded again, may differ from them in ways
 *   that nobody sees (spacing, key order, escapes, a byte order mark), and is then rejected. A string is
 *   encoded as UTF-8.
 * @param headers The request's headers: a `Headers`, or an object such as Node's `request.headers`.
 * @param secret The webhook's signing secret, `whsec_…`. Give several, in any order, while one is being
 *   rotated: a signature made with any of them is accepted.
 * @param options Header names and clock; the defaults are right for Posthorn.
 *
 * @returns A verification: `{ ok: true, id, timestamp, … }` or `{ ok: false, reason, message }`. Whatever a
 *   stranger may send is answered with a value; nothing in a request's headers makes it throw.
 * @throws {TypeError} (as a rejected promise) if an argument is wrong, which is a mistake in the program or
 *   its settings: a secret that is not `whsec_` and base64, no secret at all, a body that was parsed
 *   already, an unknown option. The message never contains the secret.
 *
 * @example node:http
 * ```ts
 * import { createServer } from 'node:http'
 * import { buffer } from 'node:stream/consumers'
 * import { verify } from 'posthorn/receiver'
 *
 * createServer(async (request, response) => {
 *   const body = await buffer(request)
 *   const delivery = await verify(body, request.headers, secret)
 *   if (!delivery.ok) return response.writeHead(400).end(delivery.reason)
 *
 *   await acceptOnce(delivery.id, JSON.parse(body.toString())) // store it; do the work later
 *   response.writeHead(204).end()
 * }).listen(3000)
 * ```
 *
 * @example Express: this route's body must stay raw, so mount it before `express.json()`.
 * ```ts
 * app.post('/webhooks', express.raw({ type: '*\/*' }), async (request, response) => {
 *   const body = request.body ?? '' // Express 5 leaves it undefined when there is no body
 *   const delivery = await verify(body, request.headers, secret)
 *   if (!delivery.ok) return response.status(400).send(delivery.reason)
 *
 *   await acceptOnce(delivery.id, JSON.parse(body))
 *   response.sendStatus(204)
 * })
 * ```
 *
 * @example Fetch-style handlers: Next.js, Cloudflare Workers, Deno, Bun; in Hono the request is `c.req.raw`.
 * ```ts
 * export async function POST(request: Request): Promise<Response> {
 *   const body = await request.arrayBuffer()
 *   const delivery = await verify(body, request.headers, secret)
 *   if (!delivery.ok) return new Response(delivery.reason, { status: 400 })
 *
 *   await acceptOnce(delivery.id, JSON.parse(new TextDecoder().decode(body)))
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verify(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Verification> {
  const keys = parseSecrets(secret)
  const body = toBytes(rawBody)
  const { names, nowSeconds } = readOptions(options)

  const id = readHeader(headers, names.id)
  const timestamp = readHeader(headers, names.timestamp)
  const signature = readHeader(headers, names.signature)
  if (!id || !timestamp || !signature) {
    const missing = [!id && names.id, !timestamp && names.timestamp, !signature && names.signature]
    return rejected('missing-header', `Missing from the request: ${listed(missing)}.`)
  }

  const stale = checkFreshness(timestamp, nowSeconds, names.timestamp)
  if (stale) return stale

  const candidates = v1Signatures(signature)
  const content = signedContent(id, timestamp, body)
  for (const [secretIndex, key] of keys.entries()) {
    const computed = await hmacSha256(key, content)
    if (candidates.some((candidate) => equalInConstantTime(candidate, computed))) {
      return { ok: true, id, timestamp: new Date(Number(timestamp) * 1000), secretIndex }
    }
  }
  return rejected(
    'no-matching-signature',
    `No v1 signature in ${names.signature} matches. ` +
      "If the request is genuine, check that the secret is this webhook's and the body the raw bytes received.",
  )
}

function parseSecrets(secret: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError(
      'A webhook secret is needed, whsec_…, or a list of them; none was given. Is the variable that holds it set?',
    )
  }
  return secrets.map((one) => parseSecret(one))
}

function checkFreshness(
  timestamp: string,
  nowSeconds: number,
  headerName: string,
): RejectedDelivery | null {
  if (!/^[0-9]+$/.test(timestamp)) {
    return rejected(
      'invalid-timestamp',
      `${headerName} must be Unix time in whole seconds, not ${JSON.stringify(timestamp.slice(0, 40))}.`,
    )
  }
  const ageSeconds = nowSeconds - Number(timestamp)
  if (Math.abs(ageSeconds) <= TOLERANCE_SECONDS) return null
  const [reason, side] =
    ageSeconds > 0
      ? (['timestamp-too-old', 'before'] as const)
      : (['timestamp-too-new', 'after'] as const)
  return rejected(
    reason,
    `${headerName} is ${Math.abs(ageSeconds)} seconds ${side} this receiver's clock; ` +
      `at most ${TOLERANCE_SECONDS} are allowed. If the request is genuine, check the clock.`,
  )
}

/** Looks at every character whatever it finds, so that its duration tells nothing about where two signatures differ. */
function equalInConstantTime(candidate: string, computed: string): boolean {
  if (candidate.length !== computed.length) return false
  let difference = 0
  for (let i = 0; i < computed.length; i++) {
    difference |= candidate.charCodeAt(i) ^ computed.charCodeAt(i)
  }
  return difference === 0
}

function rejected(reason: RejectionReason, message: string): RejectedDelivery {
  return { ok: false, reason, message }
}

function listed(names: readonly (string | false)[]): string {
  return names.filter(Boolean).join(', ')
}
