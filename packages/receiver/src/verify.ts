import { type ReceivedHeaders, readHeader } from './headers.ts'
import { type RawBody, toBytes } from './raw-body.ts'
import {
  hmacSha256,
  parseSecrets,
  signedContent,
  v1Signatures,
  type WebhookSecret,
} from './signature.ts'
import type {
  EventOf,
  RejectedDelivery,
  RejectionReason,
  Verification,
  VerifiedDelivery,
  WebhookEvent,
} from './verification.ts'
import { parseOptions, type VerifyOptions } from './verify-options.ts'

/** The greatest accepted difference between `wh-timestamp` and the receiver's clock, in both directions. */
const TOLERANCE_SECONDS = 300

/**
 * Checks that a delivery is authentic: that its signature matches, and that its timestamp is at most 300 seconds before
 * or after the receiver's clock (webhook contract, section 5.2).
 *
 * @param rawBody The request body as received, because the signature covers its exact bytes. A body that was parsed and
 *   serialized again, or decoded and encoded again, may differ in spacing, key order, escapes or a byte order mark, and
 *   then fails verification. A string is encoded as UTF-8.
 * @param headers The request headers: a `Headers`, or an object such as Node's `request.headers`.
 * @param secret The signing secret of the webhook, `whsec_` followed by base64. During a rotation, pass the old and the
 *   new secret, in any order: a signature made with either is accepted.
 * @param options The header prefix and the time. The defaults, `wh-` and the current time, fit Posthorn's defaults.
 *
 * @returns `{ ok: true, id, timestamp, secretIndex, isTest, event }`, or `{ ok: false, reason, message }` if the delivery must be
 *   rejected. No request that a sender can make causes an exception.
 * @throws {TypeError} (as a rejected promise) if an argument is invalid: a secret that is not `whsec_` and base64, an
 *   empty list of secrets, a parsed body, an unknown option. These are errors in your program or its settings. The
 *   message never contains the secret.
 *
 * @example node:http
 * ```ts
 * import { createServer } from 'node:http'
 * import { buffer } from 'node:stream/consumers'
 * import { verify } from '@posthorn/receiver'
 *
 * createServer(async (request, response) => {
 *   const body = await buffer(request)
 *   const delivery = await verify(body, request.headers, secret)
 *   if (!delivery.ok) return response.writeHead(400).end(delivery.reason)
 *
 *   await acceptOnce(delivery.id, delivery.event) // store it; skip known ids
 *   response.writeHead(204).end()
 * }).listen(3000)
 * ```
 */
export async function verify<Events = WebhookEvent>(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: WebhookSecret,
  options: VerifyOptions = {},
): Promise<Verification<Events>> {
  const keys = parseSecrets(secret)
  const body = toBytes(rawBody)
  const { names, nowSeconds } = parseOptions(options)

  const id = readHeader(headers, names.id)
  const timestamp = readHeader(headers, names.timestamp)
  const signature = readHeader(headers, names.signature)
  if (!id || !timestamp || !signature) {
    const missing = [!id && names.id, !timestamp && names.timestamp, !signature && names.signature]
    return reject(
      'missing-header',
      `Missing from the request: ${missing.filter(Boolean).join(', ')}.`,
    )
  }

  const rejection = checkTimestamp(timestamp, nowSeconds, names.timestamp)
  if (rejection) return rejection

  const candidates = v1Signatures(signature)
  const content = signedContent(id, timestamp, body)
  for (const { secretIndex, key } of keys) {
    const computed = await hmacSha256(key, content)
    if (candidates.some((candidate) => equalInConstantTime(candidate, computed))) {
      const isTest = readHeader(headers, names.test) === 'true'
      const sentAt = new Date(Number(timestamp) * 1000)
      return withEvent<Events>({ ok: true, id, timestamp: sentAt, secretIndex, isTest }, body)
    }
  }
  return reject(
    'no-matching-signature',
    `No v1 signature in ${names.signature} matches. If the request is genuine, ` +
      'check that the secret belongs to this webhook and that the body is the raw bytes as received.',
  )
}

/**
 * Like {@link verify}, with the same arguments and checks, but throws if the delivery is not authentic.
 *
 * @returns The verified delivery.
 * @throws {WebhookVerificationError} (as a rejected promise) if the delivery fails verification.
 * @throws {TypeError} (as a rejected promise) if an argument is invalid, as `verify` does.
 *
 * @example
 * ```ts
 * const { id } = await verifyOrThrow(await request.arrayBuffer(), request.headers, secret)
 * ```
 */
export async function verifyOrThrow<Events = WebhookEvent>(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: WebhookSecret,
  options?: VerifyOptions,
): Promise<VerifiedDelivery<Events>> {
  const verification = await verify<Events>(rawBody, headers, secret, options)
  if (!verification.ok) throw new WebhookVerificationError(verification)
  return verification
}

/** A delivery failed verification. Do not use its body, and answer with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  /** A stable code for programs; `message` explains it for people. */
  readonly reason: RejectionReason

  constructor(rejected: Pick<RejectedDelivery, 'reason' | 'message'>) {
    super(rejected.message)
    this.reason = rejected.reason
  }
}

/** Not enumerable, so that a log of the delivery does not have the data of the event. */
function withEvent<Events>(
  delivery: Omit<VerifiedDelivery, 'event'>,
  body: Uint8Array,
): VerifiedDelivery<Events> {
  let event: EventOf<Events> | undefined
  return Object.defineProperty(delivery, 'event', {
    get: () => (event ??= JSON.parse(new TextDecoder().decode(body))),
  }) as VerifiedDelivery<Events>
}

function checkTimestamp(
  timestamp: string,
  nowSeconds: number,
  headerName: string,
): RejectedDelivery | null {
  if (!/^[0-9]+$/.test(timestamp)) {
    return reject(
      'invalid-timestamp',
      `${headerName} must be Unix time in whole seconds, not ${JSON.stringify(timestamp.slice(0, 40))}.`,
    )
  }
  const ageSeconds = nowSeconds - Number(timestamp)
  if (Math.abs(ageSeconds) <= TOLERANCE_SECONDS) return null
  const [reason, direction] =
    ageSeconds > 0
      ? (['timestamp-too-old', 'before'] as const)
      : (['timestamp-too-new', 'after'] as const)
  return reject(
    reason,
    `${headerName} is ${Math.abs(ageSeconds)} seconds ${direction} this receiver's clock; ` +
      `at most ${TOLERANCE_SECONDS} are allowed. If the request is genuine, check the clock.`,
  )
}

/** Compares every character, so that the duration does not reveal where two signatures differ. */
function equalInConstantTime(candidate: string, computed: string): boolean {
  if (candidate.length !== computed.length) return false
  let difference = 0
  for (let i = 0; i < computed.length; i++) {
    difference |= candidate.charCodeAt(i) ^ computed.charCodeAt(i)
  }
  return difference === 0
}

function reject(reason: RejectionReason, message: string): RejectedDelivery {
  return { ok: false, reason, message }
}
