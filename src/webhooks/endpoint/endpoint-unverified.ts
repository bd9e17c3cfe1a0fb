import { DomainError, fieldIssue } from '../../lib/errors.ts'

/** Why an endpoint is not verified. Never what the endpoint answered: a URL can lead anywhere. */
export const UNVERIFIED_REASONS = {
  address_refused: 'The URL leads to an address that is not public.',
  name_not_found: 'The name of the host was not found.',
  connection_failed: 'No connection could be opened, or it broke.',
  tls_failed: 'The TLS connection or its certificate was refused.',
  timed_out: 'The endpoint did not answer within 10 s.',
  http_3xx: 'The endpoint answered with a redirect, which is not followed.',
  http_4xx: 'The endpoint answered with a status from 400 to 499.',
  http_5xx: 'The endpoint answered with a status of 500 or more.',
  challenge_failed: 'The endpoint answered with 2xx, but not with the challenge.',
} as const

export type UnverifiedReason = keyof typeof UNVERIFIED_REASONS

/** The endpoint of a URL did not answer its challenge. Nothing was changed. */
export class EndpointUnverified extends DomainError {
  readonly reason: UnverifiedReason

  constructor(reason: UnverifiedReason) {
    const rule = `is not verified: ${UNVERIFIED_REASONS[reason]} ${REMEDY}`
    const issue = fieldIssue(['url'], 'endpoint_unverified', rule)
    super('invalid', issue.detail, { issues: [issue] })
    this.reason = reason
  }
}

const REMEDY =
  'Answer the POST whose body has the type "verification" with 200 and {"challenge": …}, the challenge of its body.'
