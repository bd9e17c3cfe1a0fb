import type { AttemptRecord } from '../../src/deliveries/attempts/attempt-record.ts'

/** A row of `posthorn.deliveries`, as Prisma reads it. */
export interface DeliveryRow {
  readonly id: string
  readonly organizationId: string
  readonly webhookId: string
  readonly attemptCount: number
}

/**
 * The record of an attempt; a null status means no response. A failed attempt is the last one of its schedule, unless
 * `overrides` has another next step.
 */
export function attemptOf(
  delivery: DeliveryRow,
  status: number | null,
  overrides: Partial<AttemptRecord> = {},
): AttemptRecord {
  const succeeded = status !== null && status >= 200 && status <= 299
  const failure = status === null ? 'response_timed_out' : `HTTP ${status}`
  return {
    deliveryUuid: delivery.id,
    attemptsBefore: delivery.attemptCount,
    startedAt: new Date(),
    queuedMs: 0,
    succeeded,
    durationMs: 12,
    firstByteMs: status === null ? null : 10,
    resent: false,
    connection: null,
    status,
    errorCode: status === null ? 'response_timed_out' : null,
    error: status === null ? 'It took too long.' : null,
    summary: succeeded ? null : `${failure} from https://example.com`,
    requestUrl: 'https://example.com/hook',
    requestSignature: 'v1,c2lnbmF0dXJl',
    requestHeaderPrefix: 'wh-',
    requestHeaderNames: ['X-Key'],
    requestTraceParent: null,
    responseHeaders: status === null ? null : { 'content-type': 'text/plain' },
    responseBody: status === null ? null : Buffer.from('ok'),
    responseBodyTruncated: false,
    unkeptBodyBytes: null,
    keepsPayload: true,
    next: { kind: succeeded ? 'succeeded' : 'exhausted' },
    retriesLeft: 0,
    scheduleLength: 3,
    ordered: false,
    ...overrides,
  }
}
