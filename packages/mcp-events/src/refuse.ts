import { EventsError, invalidParams } from './events-error.ts'

/** What Posthorn answers instead of a webhook. */
export interface UpsertError {
  readonly __typename: 'EndpointVerificationError' | 'ValidationError' | 'ConflictError'
  readonly reason?: string
  readonly issues?: readonly {
    readonly path: readonly string[]
    readonly code: string
    readonly message: string
  }[]
}

/** The words of the sketch for why an endpoint is not verified. */
const REASONS: Readonly<Record<string, string>> = {
  ADDRESS_REFUSED: 'connection_refused',
  NAME_NOT_FOUND: 'connection_refused',
  CONNECTION_FAILED: 'connection_refused',
  TLS_FAILED: 'tls_error',
  TIMED_OUT: 'timeout',
  HTTP_4XX: 'http_4xx',
  HTTP_5XX: 'http_5xx',
}

/** The error that says why there is no subscription. Names of fields are those of `events/subscribe`. */
export function refuse({ __typename, reason = '', issues = [] }: UpsertError): EventsError {
  if (__typename === 'EndpointVerificationError') {
    const data = { reason: REASONS[reason] ?? 'challenge_failed' }
    return new EventsError(
      'callbackEndpointError',
      'delivery.url did not answer the challenge.',
      data,
    )
  }
  const [issue] = issues
  if (issue?.code === 'too_many_webhooks') {
    const message = 'There are as many subscriptions as there may be.'
    return new EventsError('resourceExhausted', message, { limit: 'subscriptions' })
  }
  if (issue?.path[0] === 'url') return invalidParams('delivery.url', `is refused: ${issue.code}.`)
  if (issue?.path[0] === 'filter') return invalidParams('arguments', 'are too long or too many.')
  const cause = issue?.message ?? __typename
  return new EventsError('internalError', 'The subscription failed.', undefined, { cause })
}
