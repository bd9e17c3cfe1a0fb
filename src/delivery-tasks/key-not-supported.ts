import { type DomainError, invalid } from '../lib/errors.ts'

/** A search key orders deliveries by their events, so no task can go through them page by page. */
export function keyNotSupported(): DomainError {
  const detail = 'filter.key is only for lists. List the deliveries by the key, and give their ids.'
  return invalid([{ path: ['filter', 'key'], code: 'not_supported', detail }])
}
