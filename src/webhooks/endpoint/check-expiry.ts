import type { Db } from '../../db/client.ts'
import { fieldIssue, invalid } from '../../lib/errors.ts'
import { MAX_EXPIRY_YEARS } from './endpoint-fields.ts'

/** Throws `invalid` for an expiry that has passed by the clock of Postgres, which also ends webhooks, or is too far away. */
export async function checkExpiry(tx: Db, expiresAt: Date | null | undefined): Promise<void> {
  if (expiresAt == null) return
  const [row] = await tx.$queryRaw<{ isPast: boolean; isTooFar: boolean }[]>`
    select ${expiresAt}::timestamptz <= clock_timestamp() as "isPast",
      ${expiresAt}::timestamptz > clock_timestamp() + ${MAX_EXPIRY_YEARS} * interval '1 year' as "isTooFar"`
  if (row?.isPast) throw invalid([fieldIssue(['expiresAt'], 'in_the_past', PAST)])
  if (row?.isTooFar) throw invalid([fieldIssue(['expiresAt'], 'out_of_range', TOO_FAR)])
}

const PAST = 'must be in the future. Omit the field, or give null for a webhook without an end.'
const TOO_FAR = `must be at most ${MAX_EXPIRY_YEARS} years from now. Give null for a webhook without an end.`
