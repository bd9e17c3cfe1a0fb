import { timestampOf } from '../../lib/uuid-v7.ts'
import { LATENCY_BOUNDS_MS, latencyBucket } from '../../webhooks/latency.ts'
import type { AttemptRecord } from './attempt-record.ts'

/** A delivery that succeeds within this time after its creation is on time. */
const ON_TIME_MS = 60_000

/** The columns of the statistics that count attempts, and which attempts each counts. */
export const COUNTED = {
  attempts: () => true,
  succeeded: ({ succeeded }) => succeeded,
  failed_3xx: (record) => failureOf(record) === '3xx',
  failed_4xx: (record) => failureOf(record) === '4xx',
  failed_5xx: (record) => failureOf(record) === '5xx',
  failed_without_response: (record) => failureOf(record) === 'without response',
  first_attempts: isFirst,
  first_attempts_failed: (record) => isFirst(record) && !record.succeeded,
  on_time: (record) => record.succeeded && msToSuccess(record) <= ON_TIME_MS,
  late: (record) => record.succeeded && msToSuccess(record) > ON_TIME_MS,
  exhausted: ({ next }) => next.kind === 'exhausted',
} satisfies Record<string, (record: AttemptRecord) => boolean>

/** The columns that count attempts in each bucket of `LATENCY_BOUNDS_MS`, by a time. Null: the attempt is not counted. */
export const TIMED = {
  latency: ({ durationMs }) => durationMs,
  /** The time that the delivery was queued. */
  first_delay: (record) => (isFirst(record) ? record.queuedMs : null),
} satisfies Record<string, (record: AttemptRecord) => number | null>

/** The counts of one batch of attempts for one webhook, or for all webhooks of an organization. */
export interface SubjectCount {
  readonly subjectId: string
  readonly organizationId: string
  readonly counts: Record<keyof typeof COUNTED, number>
  readonly times: Record<keyof typeof TIMED, number[]>
  readonly lastError: string | null
}

/** Sorted by id, so that two processes that record for the same webhooks cannot deadlock. */
export function countBySubject(records: readonly AttemptRecord[]): SubjectCount[] {
  const bySubject = new Map<string, AttemptRecord[]>()
  for (const record of records) {
    for (const subjectId of [record.webhookId, record.organizationId]) {
      const others = bySubject.get(subjectId)
      if (others) others.push(record)
      else bySubject.set(subjectId, [record])
    }
  }
  return [...bySubject]
    .map(([subjectId, own]) => countOf(subjectId, own))
    .sort((a, b) => (a.subjectId < b.subjectId ? -1 : 1))
}

function countOf(subjectId: string, records: readonly AttemptRecord[]): SubjectCount {
  return {
    subjectId,
    organizationId: records[0]?.organizationId as string,
    counts: mapValues(COUNTED, (counts) => records.filter(counts).length),
    times: mapValues(TIMED, (timeOf) => histogramOf(records.map(timeOf))),
    lastError: records.findLast(({ succeeded }) => !succeeded)?.summary ?? null,
  }
}

function mapValues<Key extends string, Value, Result>(
  values: Readonly<Record<Key, Value>>,
  map: (value: Value) => Result,
): Record<Key, Result> {
  const entries = Object.entries<Value>(values).map(([key, value]) => [key, map(value)])
  return Object.fromEntries(entries) as Record<Key, Result>
}

function histogramOf(times: readonly (number | null)[]): number[] {
  const histogram = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0)
  for (const ms of times) {
    if (ms === null) continue
    const bucket = latencyBucket(Math.round(ms))
    histogram[bucket] = (histogram[bucket] ?? 0) + 1
  }
  return histogram
}

function isFirst({ attemptsBefore }: AttemptRecord): boolean {
  return attemptsBefore === 0
}

function failureOf({ succeeded, status }: AttemptRecord): string | null {
  if (succeeded) return null
  if (status === null) return 'without response'
  return status >= 300 && status <= 499 ? `${Math.floor(status / 100)}xx` : '5xx'
}

function msToSuccess({ deliveryUuid, startedAt, durationMs }: AttemptRecord): number {
  return startedAt.getTime() + durationMs - timestampOf(deliveryUuid).getTime()
}
