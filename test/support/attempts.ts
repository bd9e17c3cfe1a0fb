import type { AttemptRecord, SentBy } from '../../src/deliveries/record-attempt.ts'
import { parseId } from '../../src/ids.ts'

export const SENT_BY: SentBy = { headerPrefix: 'wh-', userAgent: 'Posthorn/1.2.3' }

/** An attempt as the worker would have it recorded; without a status, one that got no response. */
export function attemptOf(
  deliveryId: string,
  status: number | null,
  given: Partial<AttemptRecord> = {},
): AttemptRecord {
  return {
    deliveryUuid: parseId('delivery', deliveryId) as string,
    startedAt: new Date(),
    succeeded: status !== null && status >= 200 && status <= 299,
    durationMs: 12,
    firstByteMs: status === null ? null : 10,
    status,
    errorCode: status === null ? 'response_timed_out' : null,
    error: status === null ? 'It took too long.' : null,
    requestUrl: 'https://example.com/hook',
    requestSignature: 'v1,c2lnbmF0dXJl',
    requestHeaderNames: ['X-Key'],
    responseHeaders: status === null ? null : { 'content-type': 'text/plain' },
    responseBody: status === null ? null : Buffer.from('ok'),
    responseBodyTruncated: false,
    resent: false,
    waitedMs: 0,
    retryDelayMs: null,
    keepsSchedule: false,
    isAwaited: false,
    ...given,
  }
}
