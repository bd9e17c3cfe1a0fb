import { DomainError, invalid } from '../lib/errors.ts'
import { MAX_TIMES, type ResponseKind } from './response-behavior.ts'
import type { TestReceiver } from './test-receiver.ts'

interface Changes {
  readonly respondWith?: ResponseKind | null | undefined
  readonly times?: number | null | undefined
  readonly clear?: boolean | null | undefined
}

/** Changes the responses of the test receiver. Throws `not_found` without one, and `invalid` for a count out of bounds. */
export function configureTestReceiver(
  receiver: TestReceiver | null | undefined,
  organizationId: string,
  { respondWith, times, clear }: Changes,
): TestReceiver {
  if (!receiver) {
    throw new DomainError(
      'not_found',
      'There is no test receiver: it is part of embedded mode, without DATABASE_URL and with a loopback HOST.',
    )
  }
  if (times != null && (times < 1 || times > MAX_TIMES)) {
    const detail = `times must be from 1 to ${MAX_TIMES.toLocaleString('en')}, not ${times.toLocaleString('en')}.`
    throw invalid([{ path: ['input', 'times'], code: 'out_of_range', detail }])
  }
  if (times != null && respondWith == null) {
    const detail = 'times needs respondWith: the response that so many deliveries get.'
    throw invalid([{ path: ['input', 'times'], code: 'missing_response', detail }])
  }
  if (respondWith != null) {
    receiver.respondWith(organizationId, { kind: respondWith, remaining: times ?? null })
  }
  if (clear === true) receiver.clear(organizationId)
  return receiver
}
