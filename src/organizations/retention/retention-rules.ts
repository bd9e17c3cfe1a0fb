import { z } from 'zod'
import type { Db } from '../../db/client.ts'
import { fieldIssue, invalid } from '../../lib/errors.ts'
import { wholeNumber } from '../../lib/setting.ts'

/** The days that an organization or event type keeps events. Null: the retention of the installation. */
export const retentionDaysRule = wholeNumber(
  1,
  3_650,
  'give null for the retention of the installation',
).nullable()

/** Throws `invalid` if the installation keeps nothing for so long. */
export async function requireWithinInstallation(db: Db, days: number | null | undefined) {
  const [shorter] = await db.$queryRaw<{ days: number }[]>`
    select (retention_ms / 86400000.0)::float8 as days from posthorn.settings
    where ${days}::float8 * 86400000 > retention_ms`
  if (!shorter) return
  const max = shorter.days.toLocaleString('en', { maximumFractionDigits: 1 })
  const rule = `must be at most ${max}, not ${days}: POSTHORN_RETENTION keeps everything for ${max} days. Give fewer days, or ask the operator to raise POSTHORN_RETENTION.`
  throw invalid([fieldIssue(['retentionDays'], 'too_big', rule)])
}

/** Whether contents are kept after they were needed. Null is the default: yes. */
export const keepRule = z
  .boolean('must be true or false')
  .nullable()
  .transform((keep) => keep ?? true)

/** The descriptions of the rules, shared by the types that read and set them. */
export const RETENTION_DAYS =
  'The days that events, deliveries and attempts are kept: 1 to 3,650, and at most POSTHORN_RETENTION. What is not sent yet is kept.'

export const KEEP_RESPONSE_BODIES =
  'Whether the bodies of responses are kept with attempts. If false, attempts have the status, the headers and the size of the body. Applies to attempts from now on.'

export const KEEP_PAYLOADS =
  'Whether the payload of an event is kept after its deliveries. If false, the payload is erased within minutes once each delivery of the event succeeded or was canceled, or 7 days after a delivery was exhausted: then nothing of it can be redelivered.'

/** A webhook can only keep less than its organization. */
export const OF_WEBHOOK =
  'False in the organization is false for all its webhooks: `effectiveSettings` has what applies.'
