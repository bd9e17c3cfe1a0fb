import type { Sql } from '../db/client.ts'

/** How the last attempts of a webhook went. */
export interface Failures {
  /** How many failed since one succeeded. */
  readonly consecutiveFailures: number
  /** When the first of them began. */
  readonly failingSince: Date | null
}

/** What a webhook is owed is held back after so many failures in a row, over at least so long. */
const FAILURES = 10
const FAILING_FOR_MS = 60_000

const FIRST_PROBE_AFTER_MS = 30_000
const LONGEST_PROBE_INTERVAL_MS = 15 * 60_000

/** Whether a webhook has failed so often and for so long that it is no use to go on at the same pace. */
export function shouldHold({ consecutiveFailures, failingSince }: Failures, now: Date): boolean {
  if (consecutiveFailures < FAILURES || failingSince === null) return false
  return now.getTime() - failingSince.getTime() >= FAILING_FOR_MS
}

/** How long after a probe the next one follows: twice as long each time, up to 15 minutes. */
export function probeDelayMs(probesBefore: number): number {
  return Math.min(FIRST_PROBE_AFTER_MS * 2 ** probesBefore, LONGEST_PROBE_INTERVAL_MS)
}

/** Holds back what a webhook is owed. Answers whether it was not held before. */
export async function holdWebhook(sql: Sql, webhookId: string, now: Date): Promise<boolean> {
  const { rows } = await sql.query<{ began: boolean }>({
    name: 'hold_webhook',
    text: 'select posthorn.hold_webhook($1, $2, $3) as began',
    values: [webhookId, now, new Date(now.getTime() + probeDelayMs(0))],
  })
  return rows[0]?.began ?? false
}

/** Makes one delivery of a held webhook due, if its time has come. */
export async function releaseProbe(
  sql: Sql,
  webhookId: string,
  probesBefore: number,
  now: Date,
): Promise<void> {
  const nextAt = new Date(now.getTime() + probeDelayMs(probesBefore + 1))
  await sql.query({
    name: 'release_probe',
    text: 'select posthorn.release_probe($1, $2, $3)',
    values: [webhookId, now, nextAt],
  })
}

/** Lets what was held back go, slowly at first. Answers whether the webhook was held. */
export async function endHold(sql: Sql, webhookId: string): Promise<boolean> {
  const { rows } = await sql.query<{ ended: boolean }>({
    name: 'end_hold',
    text: 'select posthorn.end_hold($1) as ended',
    values: [webhookId],
  })
  return rows[0]?.ended ?? false
}
