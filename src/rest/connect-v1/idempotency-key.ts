import { HttpRejection } from '../../http/http-rejection.ts'

/**
 * The key in the header of https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header, or null when
 * there is none. Kept as it stands: quoted, as the draft has it, or bare, as most callers send it.
 */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[!-~]{1,255}$/.test(header)) return header
  const detail = 'The header Idempotency-Key must have 1 to 255 visible ASCII characters.'
  throw new HttpRejection('malformed', detail, {
    errors: [{ header: 'Idempotency-Key', code: 'invalid_idempotency_key', detail }],
  })
}
