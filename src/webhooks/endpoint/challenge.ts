import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '../../auth/encryption/keyring.ts'
import type { Db } from '../../db/client.ts'
import type { Webhook as WebhookRow } from '../../db/generated/prisma/client.ts'
import { DomainError, invalid } from '../../lib/errors.ts'
import { readHeaders } from '../encrypted-headers.ts'
import { readKey } from '../signing-secret.ts'
import { EndpointUnverified, type UnverifiedReason } from './endpoint-unverified.ts'

/** A request that an endpoint has to answer before its URL is used: with the headers and signatures of a delivery. */
export interface Challenge {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly signingKey: KeyObject
  /** Null: that of the installation. */
  readonly headerPrefix: string | null
}

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
 * the proof. Throws an `EndpointUnverified`, `rate_limited`, or `conflict` if the URL was changed meanwhile.
 */
export async function withChallenge<T>(
  { sendChallenge }: { readonly sendChallenge?: SendChallenge },
  organizationId: string,
  run: (proof: EndpointProof | null) => Promise<T>,
): Promise<T> {
  try {
    return await run(null)
  } catch (error) {
    if (!(error instanceof ChallengeNeeded)) throw error
    if (!sendChallenge) throw new Error('This process sends no challenges.')
    const { challenge } = error
    const reason = await sendChallenge(organizationId, challenge)
    if (reason !== null) throw new EndpointUnverified(reason)
    return await run({ url: challenge.url, verifiedAt: new Date() }).catch(explainConflict)
  }
}

function explainConflict(error: unknown): never {
  if (!(error instanceof ChallengeNeeded)) throw error
  throw new DomainError(
    'conflict',
    'The URL of the webhook was changed while its endpoint answered the challenge. Nothing was changed. Repeat the call.',
  )
}

type Endpoint = Pick<WebhookRow, 'url' | 'endpointVerifiedAt'>
type Verified = Partial<Pick<WebhookRow, 'url' | 'verifyEndpoint'>>

/** When the endpoint that a webhook has after a change was verified. `requireProof` checks afterwards that there is a proof. */
export function verifiedAt(
  before: Endpoint | null,
  { url, verifyEndpoint }: Verified,
  proof: EndpointProof | null,
): Date | null {
  const known = before && before.url === url ? before.endpointVerifiedAt : null
  return known ?? (verifyEndpoint ? (proof?.verifiedAt ?? new Date()) : null)
}

/** Throws `ChallengeNeeded` if the changed webhook needs a proof for its URL, so that the transaction ends. */
export async function requireProof(
  tx: Db,
  keyring: Keyring,
  proof: EndpointProof | null,
  before: Endpoint | null,
  after: WebhookRow,
): Promise<void> {
  const isKnown = before?.url === after.url && before.endpointVerifiedAt !== null
  if (!after.verifyEndpoint || isKnown || proof?.url === after.url) return
  throw new ChallengeNeeded(await challengeOf(tx, keyring, after))
}

async function challengeOf(tx: Db, keyring: Keyring, row: WebhookRow): Promise<Challenge> {
  const current = await tx.signingSecret.findFirstOrThrow({
    where: { webhookId: row.id, expiresAt: null },
  })
  const headers = readHeaders(keyring, row.headersCiphertext, row.id)
  const key = readKey(keyring, current.keyCiphertext, current.id)
  if (headers === null || key === null) {
    throw invalid([{ path: ['verifyEndpoint'], code: 'unreadable_header', detail: UNREADABLE }])
  }
  const { url, headerPrefix } = row
  return { url, headers, headerPrefix, signingKey: createSecretKey(key) }
}

const UNREADABLE =
  'verifyEndpoint needs a challenge, and no encryption key decrypts the headers or secrets that sign it. Rotate the secret, and give the headers again.'
