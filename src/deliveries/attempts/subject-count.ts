import { timestampOf } from '../../lib/uuid-v7.ts'
import { LATENCY_BOUNDS_MS, latencyBucket } from '../../webhooks/latency.ts'
import type { AttemptRecord } from './attempt-record.ts'

/** A delivery that succeeds within this time after its creation is on time. */
const ON_TIME_MS = 60_000

/** The counts of one batch of attempts for one webhook, or for all webhooks of an organization. */
export interface SubjectCount {
  readonly subjectId: string
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
  firstAttempts: number
  firstAttemptsFailed: number
  onTime: number
  late: number
  exhausted: number
  /** First attempts in each bucket of `LATENCY_BOUNDS_MS`, by the time that the delivery was queued. */
  readonly firstDelay: number[]
}

/** Sorted by id, so that two processes that record for the same webhooks cannot deadlock. */
export function countBySubject(records: readonly AttemptRecord[]): SubjectCount[] {
  const counts = new Map<string, SubjectCount>()
  for (const record of records) {
    const { webhookId, organizationId } = record
    for (const subjectId of [webhookId, organizationId]) {
      const count = counts.get(subjectId) ?? newCount(subjectId, organizationId)
      counts.set(subjectId, count)
      add(count, record)
    }
  }
  return [...counts.values()].sort((a, b) => (a.subjectId < b.subjectId ? -1 : 1))
}

const newHistogram = () => new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0)

function newCount(subjectId: string, organizationId: string): SubjectCount {
  return {
    subjectId,
    organizationId,
    attempts: 0,
    succeeded: 0,
    failed3xx: 0,
    failed4xx: 0,
    failed5xx: 0,
    failedWithoutResponse: 0,
    latency: newHistogram(),
    lastError: null,
    firstAttempts: 0,
    firstAttemptsFailed: 0,
    onTime: 0,
    late: 0,
    exhausted: 0,
    firstDelay: newHistogram(),
  }
}

function add(count: SubjectCount, record: AttemptRecord): void {
  const { succeeded, durationMs, next } = record
  count.attempts += 1
  countIn(count.latency, durationMs)
  if (record.attemptsBefore === 0) {
    count.firstAttempts += 1
    if (!succeeded) count.firstAttemptsFailed += 1
    countIn(count.firstDelay, record.queuedMs)
  }
  if (succeeded) {
    count.succeeded += 1
    if (msToSuccess(record) <= ON_TIME_MS) count.onTime += 1
    else count.late += 1
  } else addFailure(count, record)
  if (next.kind === 'exhausted') count.exhausted += 1
}

function addFailure(count: SubjectCount, { status, summary }: AttemptRecord): void {
  count.lastError = summary
  if (status === null) count.failedWithoutResponse += 1
  else if (status >= 300 && status <= 399) count.failed3xx += 1
  else if (status >= 400 && status <= 499) count.failed4xx += 1
  else count.failed5xx += 1
}

function countIn(histogram: number[], ms: number): void {
  const bucket = latencyBucket(Math.round(ms))
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

function msToSuccess({ deliveryUuid, startedAt, durationMs }: AttemptRecord): number {
  return startedAt.getTime() + durationMs - timestampOf(deliveryUuid).getTime()
}
