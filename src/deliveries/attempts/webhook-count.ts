import { LATENCY_BOUNDS_MS, latencyBucket } from '../../webhooks/latency.ts'

/** The fields of an attempt that the statistics count. */
export interface CountedAttempt {
  readonly webhookId: string
  readonly organizationId: string
  readonly succeeded: boolean
  readonly status: number | null
  readonly durationMs: number
  readonly summary: string | null
}

/** The counts of one batch of attempts for one webhook. */
export interface WebhookCount {
  readonly webhookId: string
  readonly organizationId: string
  attempts: number
  succeeded: number
  failed3xx: number
  failed4xx: number
  failed5xx: number
  failedWithoutResponse: number
  /** Attempts in each bucket of `LATENCY_BOUNDS_MS`. */
  readonly latency: number[]
  lastError: string | null
}

/** Sorted by webhook id, so that two processes that record for the same webhooks cannot deadlock. */
export function countByWebhook(records: readonly CountedAttempt[]): WebhookCount[] {
  const counts = new Map<string, WebhookCount>()
  for (const record of records) {
    const count = counts.get(record.webhookId) ?? newCount(record)
    counts.set(record.webhookId, count)
    add(count, record)
  }
  return [...counts.values()].sort((a, b) => (a.webhookId < b.webhookId ? -1 : 1))
}

function newCount({ webhookId, organizationId }: CountedAttempt): WebhookCount {
  return {
    webhookId,
    organizationId,
    attempts: 0,
    succeeded: 0,
    failed3xx: 0,
    failed4xx: 0,
    failed5xx: 0,
    failedWithoutResponse: 0,
    latency: new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0),
    lastError: null,
  }
}

function add(count: WebhookCount, record: CountedAttempt): void {
  const { succeeded, status, durationMs, summary } = record
  count.attempts += 1
  const bucket = latencyBucket(Math.round(durationMs))
  count.latency[bucket] = (count.latency[bucket] ?? 0) + 1
  if (succeeded) {
    count.succeeded += 1
    return
  }
  count.lastError = summary
  if (status === null) count.failedWithoutResponse += 1
  else if (status >= 300 && status <= 399) count.failed3xx += 1
  else if (status >= 400 && status <= 499) count.failed4xx += 1
  else count.failed5xx += 1
}
