import { z } from 'zod'
import type { Db } from '../db/client.ts'
import type { ApiKey } from '../db/generated/prisma/client.ts'
import { invalid, notFound } from '../errors.ts'
import { parseId } from '../ids.ts'
import { parseInput } from '../validation.ts'
import { type Caller, parseScopes, requireGrantable } from './scope.ts'
import { hashToken, mintToken, tokenHint } from './token.ts'

export interface NewApiKey {
  readonly organizationId: string
  readonly scopes: readonly string[]
  readonly name?: string | null
  /** Null or missing: it does not expire. */
  readonly expiresAt?: Date | null
  /** Who makes it: nobody gives scopes that they lack themselves. Missing: whoever works on the machine itself. */
  readonly grantedBy?: Caller
}

const keyName = z.object({
  name: z
    .string('must be a string')
    .trim()
    .min(1, 'must not be empty')
    .max(200, 'must have at most 200 characters')
    .refine((text) => !text.includes('\0'), 'must not contain the NUL character')
    .nullish(),
})

/** Makes a key. The token is in the answer and nowhere else: only its hash is stored. */
export async function createApiKey(
  db: Db,
  input: NewApiKey,
): Promise<{ key: ApiKey; token: string }> {
  const scopes = parseScopes(input.scopes)
  if (input.grantedBy) requireGrantable(input.grantedBy, input.scopes)
  const { name } = parseInput(keyName, { name: input.name })
  const expiresAt = input.expiresAt ?? null
  if (expiresAt && !(expiresAt.getTime() > Date.now())) {
    throw invalid([
      { path: ['expiresAt'], code: 'in_the_past', detail: 'expiresAt must be in the future.' },
    ])
  }
  const token = mintToken()
  const key = await db.apiKey.create({
    data: {
      organizationId: input.organizationId,
      name: name ?? null,
      scopes,
      expiresAt,
      tokenHash: hashToken(token),
      tokenHint: tokenHint(token),
    },
  })
  return { key, token }
}

/** The keys of an organization, or of all, oldest first; expired and revoked ones too. */
export async function listApiKeys(db: Db, organizationId?: string): Promise<ApiKey[]> {
  return await db.apiKey.findMany({
    where: organizationId === undefined ? {} : { organizationId },
    orderBy: { id: 'asc' },
  })
}

/** From the moment it answers, no process accepts the key. Revoking it again changes nothing. */
export async function revokeApiKey(db: Db, id: string, organizationId?: string): Promise<ApiKey> {
  const uuid = parseId('apiKey', id)
  const owner = organizationId === undefined ? {} : { organizationId }
  const key = uuid && (await db.apiKey.findFirst({ where: { id: uuid, ...owner } }))
  if (!key) throw notFound('API key', id)
  if (key.revokedAt) return key
  return await db.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } })
}
