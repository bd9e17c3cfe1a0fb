import { createHash } from 'node:crypto'
import { z } from 'zod'

/** Labels that the owner of an organization or webhook chooses. */
export type Metadata = Readonly<Record<string, string>>

/** Bytes of the labels of one object, as JSON. */
export const MAX_METADATA_BYTES = 4_096

/** Characters of the key of a label. */
export const MAX_KEY_LENGTH = 64

/** The rule of metadata, in the words of an API description. */
export const METADATA_RULE =
  'an object of strings, at most 4 KiB as JSON, whose keys have 1 to 64 characters and no control characters'

/** Null is none. */
export const metadataRule = z
  .custom<Metadata>()
  .nullable()
  .superRefine(checkMetadata)
  .transform((metadata) => metadata ?? {})

/** By hand, because a zod record drops the key `__proto__` without an error, and so does Prisma. */
function checkMetadata(metadata: unknown, context: z.RefinementCtx<unknown>): void {
  if (metadata === null) return
  const add = (code: string, message: string, path: string[] = []) =>
    context.addIssue({ code: 'custom', path, params: { code }, message })
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    add('invalid_type', 'must be an object of strings, such as { "team": "payments" }')
    return
  }
  const bytes = Buffer.byteLength(JSON.stringify(metadata))
  if (bytes > MAX_METADATA_BYTES) {
    const found = bytes.toLocaleString('en')
    add(
      'too_large',
      `must have at most 4,096 bytes as JSON, not ${found}; shorten or remove labels`,
    )
    return
  }
  for (const [key, value] of Object.entries(metadata)) {
    if (key.length < 1 || key.length > MAX_KEY_LENGTH) {
      add('invalid_key', `must have keys of 1 to ${MAX_KEY_LENGTH} characters, not ${key.length}`)
    } else if (/\p{Cc}/u.test(key)) {
      add('invalid_key', 'must not have control characters, such as line breaks, in keys', [key])
    } else if (key === '__proto__') {
      add('invalid_key', 'must not have the key __proto__; choose another')
    } else if (typeof value !== 'string') {
      add('invalid_type', 'must be a string; write numbers and other values as text', [key])
    } else if (value.includes('\0')) {
      add('invalid_text', 'must not contain the NUL character', [key])
    }
  }
}

/** A label, as a condition: metadata matches that has the key with exactly this value. */
export interface MetadataEntry {
  readonly key: string
  readonly value: string
}

/** Conditions on own names. A missing or null field matches everything. */
export interface OwnNameFilter {
  readonly uid?: string | null | undefined
  /** All must match. */
  readonly metadata?: readonly MetadataEntry[] | null | undefined
}

/** The conditions of Prisma for rows with own names. */
export function ownNameConditions({ uid, metadata }: OwnNameFilter) {
  return [
    typeof uid === 'string' ? { uid } : {},
    metadata ? { labelHashes: { hasEvery: metadata.map(labelHash) } } : {},
  ]
}

/** As the column `label_hashes` has it. */
function labelHash({ key, value }: MetadataEntry): string {
  return createHash('sha256').update(`${key}\n${value}`).digest('hex')
}
