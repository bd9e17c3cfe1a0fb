import { createHash } from 'node:crypto'

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
export function labelHash({ key, value }: MetadataEntry): string {
  return createHash('sha256').update(`${key}\n${value}`).digest('hex')
}
