import { createHash } from 'node:crypto'
import { actForOrganization } from '../db/act-for.ts'
import type { Db, Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { DomainError } from '../lib/errors.ts'

/** How long the answer to a call is kept for its repetitions. */
export const IDEMPOTENCY_KEY_VALID_MS = 24 * 60 * 60 * 1_000

/** What tells one call from another: who asks for what, under which key, with which input. */
export interface IdempotentCall {
  /** The organization's uuid. */
  readonly organizationId: string
  /** The call's name. The same key under another one is another call. */
  readonly operation: string
  /** Chosen by the caller: 1 to 255 characters, without NUL. */
  readonly key: string
  /** Of the input, from `hashRequest`. */
  readonly requestHash: Uint8Array<ArrayBuffer>
}

/** What a call made: the uuid of the new row, and the answer, which survives JSON. */
export interface Created<Answer> {
  readonly resourceId: string
  readonly answer: Answer
}

/**
 * Runs `make` once per call and answers its repetitions from memory for 24 hours. What is made and the memory of it
 * commit together; when `make` throws, nothing stays and the key is free again. Throws `conflict` for a key that was
 * used with another input, and while the first call runs.
 */
export async function runOnce<Answer>(
  { prisma, keyring }: { readonly prisma: PrismaClient; readonly keyring: Keyring },
  call: IdempotentCall,
  make: (tx: Db) => Promise<Created<Answer>>,
): Promise<Answer> {
  const { organizationId, operation, key, requestHash } = call
  const row = { organizationId, operation, key }
  const name = JSON.stringify(['idempotency', organizationId, operation, key])

  const answerOnce = async (tx: Db) => {
    const now = await takeTurn(tx, name)
    const earlier = await tx.idempotencyKey.findFirst({
      where: { ...row, createdAt: { gt: new Date(now.getTime() - IDEMPOTENCY_KEY_VALID_MS) } },
    })
    if (earlier) {
      if (!Buffer.from(earlier.requestHash).equals(requestHash)) throw usedOtherwise()
      const stored = keyring.decrypt(earlier.responseCiphertext as Uint8Array, name)
      return JSON.parse(stored.toString()) as Answer
    }
    const { resourceId, answer } = await make(tx)
    const responseCiphertext = keyring.encrypt(Buffer.from(JSON.stringify(answer)), name)
    const memory = { requestHash, resourceId, responseCiphertext, createdAt: now }
    await tx.idempotencyKey.upsert({
      where: { organizationId_operation_key: row },
      create: { ...row, ...memory },
      update: memory,
    })
    return answer
  }
  // Read committed: whoever gets the lock next must see what its last holder committed.
  return await actForOrganization(prisma, organizationId, answerOnce, {
    isolationLevel: 'ReadCommitted',
  })
}

/** Deletes the memories of calls that are older than 24 hours. Answers how many. */
export async function deleteExpiredIdempotencyKeys(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from posthorn.idempotency_keys where created_at <= now() - $1 * interval '1 millisecond'`,
    [IDEMPOTENCY_KEY_VALID_MS],
  )
  return rowCount ?? 0
}

/** A hash of a JSON value that does not depend on the order of its objects' keys. */
export function hashRequest(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(canonicalJson(value)).digest())
}

/**
 * Held until the transaction ends, so that two calls of one key never run at once. Answers the time by the clock of
 * Postgres, which all processes share.
 */
async function takeTurn(tx: Db, name: string): Promise<Date> {
  const [lock] = await tx.$queryRaw<{ taken: boolean; now: Date }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken, now() as now`
  if (lock?.taken) return lock.now
  throw new DomainError(
    'conflict',
    'A call with this idempotency key is still running. Try again shortly, with the same key.',
  )
}

function usedOtherwise(): DomainError {
  return new DomainError(
    'conflict',
    'This idempotency key was used within the last 24 hours with another input. Use a new key for a new call.',
  )
}

/**
 * JSON but for a comma after every item, with the keys of objects sorted. Iterative, because input may nest deeper
 * than the stack.
 */
function canonicalJson(root: unknown): string {
  const todo: ({ text: string } | { value: unknown })[] = [{ value: root }]
  let json = ''
  for (let next = todo.pop(); next; next = todo.pop()) {
    if ('text' in next) {
      json += next.text
      continue
    }
    const { value } = next
    if (typeof value !== 'object' || value === null) {
      json += JSON.stringify(value) ?? 'null'
    } else if (Array.isArray(value)) {
      todo.push({ text: ']' })
      for (const item of value.toReversed()) todo.push({ text: ',' }, { value: item })
      json += '['
    } else {
      todo.push({ text: '}' })
      for (const [key, item] of Object.entries(value).sort(byKey)) {
        todo.push({ text: ',' }, { value: item }, { text: `${JSON.stringify(key)}:` })
      }
      json += '{'
    }
  }
  return json
}

/** Backwards, because what is pushed last is written first. */
function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? 1 : -1
}
