import { HttpRejection } from '../../http/problem.ts'

/**
 * The value of the header `Idempotency-Key`, or `null` if there is none. Not unquoted: the draft requires quotes, but
 * most callers send none. https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header
 */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[!-~]{1,255}$/.test(header)) return header
  const detail = 'The header Idempotency-Key must consist of 1 to 255 visible ASCII characters.'
  throw new HttpRejection('malformed', detail, {
    errors: [{ header: 'Idempotency-Key', code: 'invalid_idempotency_key', detail }],
  })
}
