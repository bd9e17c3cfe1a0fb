import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '../auth/encryption/keyring.ts'
import type { Webhook as WebhookRow } from '../db/generated/prisma/client.ts'
import { DomainError, fieldIssue } from '../lib/errors.ts'
import { readHeaders } from './encrypted-headers.ts'

/** A request that an endpoint has to answer before its URL is used: with the headers and signatures of a delivery. */
export interface Challenge {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly signingKey: KeyObject
  /** Null: that of the installation. */
  readonly headerPrefix: string | null
}

/** Why an endpoint is not verified. Never what the endpoint answered: a URL can lead anywhere. */
export const UNVERIFIED_REASONS = {
  address_refused: 'The URL leads to an address that is not public.',
  name_not_found: 'The name of the host was not found.',
  connection_failed: 'No connection could be opened, or it broke.',
  tls_failed: 'The TLS connection or its certificate was refused.',
  timed_out: 'The endpoint did not answer within 10 s.',
  http_3xx: 'The endpoint answered with a redirect, which is not followed.',
  http_4xx: 'The endpoint answered with a status from 400 to 499.',
  http_5xx: 'The endpoint answered with a status of 500 or more.',
  challenge_failed: 'The endpoint answered with 2xx, but not with the challenge.',
} as const

export type UnverifiedReason = keyof typeof UNVERIFIED_REASONS

/** The endpoint of a URL did not answer its challenge. Nothing was changed. */
export class EndpointUnverified extends DomainError {
  readonly reason: UnverifiedReason

  constructor(reason: UnverifiedReason) {
    const rule = `is not verified: ${UNVERIFIED_REASONS[reason]} ${REMEDY}`
    const issue = fieldIssue(['url'], 'endpoint_unverified', rule)
    super('invalid', issue.detail, { issues: [issue] })
    this.reason = reason
  }
}

const REMEDY =
  'Answer the POST whose body has the type "verification" with 200 and {"challenge": …}, the challenge of its body.'

/** Sends a challenge. Returns why the endpoint is not verified, or null. Throws `rate_limited`. */
export type SendChallenge = (
  organizationId: string,
  challenge: Challenge,
) => Promise<UnverifiedReason | null>

/** That the endpoint of a URL has answered. */
export interface EndpointProof {
  readonly url: string
  readonly verifiedAt: Date
}

/** Ends a transaction whose webhook needs a verified endpoint: no transaction is open while the endpoint answers. */
export class ChallengeNeeded extends Error {
  override readonly name = 'ChallengeNeeded'
  readonly challenge: Challenge

  constructor(challenge: Challenge) {
    super('The endpoint of the webhook has to answer a challenge first.')
    this.challenge = challenge
  }
}

/**
 * Runs a change. If it needs a verified endpoint, its transaction ends, the endpoint answers, and the change runs again with
 * the proof: once more if the URL was changed meanwhile. Throws an `EndpointUnverified`, or `rate_limited`.
 */
export async function withChallenge<T>(
  { sendChallenge }: { readonly sendChallenge?: SendChallenge },
  organizationId: string,
  run: (proof: EndpointProof | null) => Promise<T>,
): Promise<T> {
  for (let proof: EndpointProof | null = null; ; ) {
    try {
      return await run(proof)
    } catch (error) {
      if (!(error instanceof ChallengeNeeded)) throw error
      if (!sendChallenge) throw new Error('This process sends no challenges.')
      const reason = await sendChallenge(organizationId, error.challenge)
      if (reason !== null) throw new EndpointUnverified(reason)
      proof = { url: error.challenge.url, verifiedAt: new Date() }
    }
  }
}

type Endpoint = Pick<
  WebhookRow,
  'id' | 'url' | 'verifyEndpoint' | 'headerPrefix' | 'headersCiphertext'
>

/**
 * When the endpoint that a webhook has after a change was verified; null: never. Throws `ChallengeNeeded` if it has to be
 * and there is no proof, so that the transaction ends.
 */
export async function verifiedAt(
  keyring: Keyring,
  proof: EndpointProof | null,
  before: WebhookRow | null,
  after: Endpoint,
  readSigningKey: () => Uint8Array | Promise<Uint8Array>,
): Promise<Date | null> {
  const { id, url, headerPrefix, headersCiphertext } = after
  const known = before?.url === url ? before.endpointVerifiedAt : null
  if (known !== null || !after.verifyEndpoint) return known
  if (proof?.url === url) return proof.verifiedAt
  const headers = readHeaders(keyring, headersCiphertext, id)
  const signingKey = createSecretKey(await readSigningKey())
  throw new ChallengeNeeded({ url, headers, headerPrefix, signingKey })
}
