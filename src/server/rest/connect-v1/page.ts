import { parseId } from '../../../db/ids.ts'
import { type FieldError, HttpRejection } from '../../../http/problem.ts'

export const MAX_PAGE_SIZE = 100

/** The requested part of a list. */
export interface Page {
  /** Default: no limit. */
  readonly limit?: number
  /** The uuid of the last item of the previous page. Default: start with the first item. */
  readonly after?: string
}

/** Reads `?limit=` and `?cursor=`, and ignores other parameters. Throws `invalid` (422) for invalid values. */
export function readPage(query: Readonly<Record<string, readonly string[]>>): Page {
  const [limit, cursor] = [onlyOf(query['limit']), onlyOf(query['cursor'])]
  const after = cursor === undefined ? undefined : parseId('webhook', cursor)
  const isPageSize = /^[1-9]\d{0,2}$/.test(limit ?? '1') && Number(limit ?? 1) <= MAX_PAGE_SIZE
  const errors = [...(isPageSize ? [] : [BAD_LIMIT]), ...(after === null ? [BAD_CURSOR] : [])]
  if (errors.length > 0) {
    throw new HttpRejection('invalid', errors.map(({ detail }) => detail).join(' '), { errors })
  }
  return { ...(limit && { limit: Number(limit) }), ...(after && { after }) }
}

/** Empty, which is no valid value, if there are several. */
const onlyOf = (values: readonly string[] = []) => (values.length > 1 ? '' : values[0])

/** A `Link` header (RFC 8288). It is relative, so that it works behind any proxy and never leads from https to http. */
export function nextPageLink(path: string, limit: number, lastId: string): string {
  return `<${path}?${new URLSearchParams({ limit: `${limit}`, cursor: lastId })}>; rel="next"`
}

const BAD_LIMIT: FieldError = {
  parameter: 'limit',
  code: 'invalid_limit',
  detail: `limit must be a whole number from 1 to ${MAX_PAGE_SIZE}, given once.`,
}

const BAD_CURSOR: FieldError = {
  parameter: 'cursor',
  code: 'invalid_cursor',
  detail: 'cursor must be a cursor from the Link header of an earlier page, given once.',
}
