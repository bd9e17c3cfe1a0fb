import { createHash } from 'node:crypto'
import type { Keyring } from '../auth/encryption/keyring.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../lib/errors.ts'
import { canonicalJson } from '../lib/json-schema.ts'

/** How long an idempotency key is valid. */
const IDEMPOTENCY_KEY_TTL_MS = 24 * 60 * 60 * 1_000

/** A call with an idempotency key. Calls with the same organization, operation and key are one call. */
export interface IdempotentCall {
  /** The organization's uuid. */
  readonly organizationId: string
  /** The name of the operation. */
  readonly operation: string
  /** Chosen by the caller: 1 to 255 characters, without NUL. */
  readonly key: string
  /** The result of `hashRequest` for the input. */
  readonly requestHash: Uint8Array<ArrayBuffer>
}

/** The result of a call: the uuid of the new row, and the answer, which must survive JSON. */
export interface Created<Answer> {
  readonly resourceId: string
  readonly answer: Answer
}

/**
 * Runs `create` once per call, and returns the stored answer to repeated calls for 24 hours. The new row and the answer
 * commit together; if `create` throws, neither is stored and the key is free again. Throws `conflict` if the key was used
 * with another input, or while the first call runs.
 */
export async function runOnce<Answer>(
  { prisma, keyring }: { readonly prisma: PrismaClient; readonly keyring: Keyring },
  call: IdempotentCall,
  create: (tx: Db) => Promise<Created<Answer>>,
): Promise<Answer> {
  const { organizationId, operation, key, requestHash } = call
  const row = { organizationId, operation, key }
  const name = JSON.stringify(['idempotency', organizationId, operation, key])

  const createOrRepeat = async (tx: Db) => {
    const now = await lockCall(tx, name)
    const earlier = await tx.idempotencyKey.findFirst({
      where: { ...row, createdAt: { gt: new Date(now.getTime() - IDEMPOTENCY_KEY_TTL_MS) } },
    })
    if (earlier) {
      if (!Buffer.from(earlier.requestHash).equals(requestHash)) throw keyReused()
      const stored = keyring.decrypt(earlier.responseCiphertext as Uint8Array, name)
      return JSON.parse(stored.toString()) as Answer
    }
    const { resourceId, answer } = await create(tx)
    const responseCiphertext = keyring.encrypt(Buffer.from(JSON.stringify(answer)), name)
    const result = { requestHash, resourceId, responseCiphertext, createdAt: now }
    await tx.idempotencyKey.upsert({
      where: { organizationId_operation_key: row },
      create: { ...row, ...result },
      update: result,
    })
    return answer
  }
  return await actForOrganization(prisma, organizationId, createOrRepeat)
}

/** Hashes a JSON value; the order of object keys does not matter. */
export function hashRequest(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(canonicalJson(value)).digest())
}

/**
 * Locks the call until the transaction ends, so that two calls with one key never run at the same time. Returns the time
 * of Postgres's clock, which all processes share.
 */
async function lockCall(tx: Db, name: string): Promise<Date> {
  const [lock] = await tx.$queryRaw<{ acquired: boolean; now: Date }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as acquired, now() as now`
  if (lock?.acquired) return lock.now
  throw new DomainError(
    'conflict',
    'A call with this idempotency key is still running. Try again shortly, with the same key.',
  )
}

function keyReused(): DomainError {
  return new DomainError(
    'conflict',
    'This idempotency key was used within the last 24 hours with another input. Use a new key for a new call.',
  )
}
