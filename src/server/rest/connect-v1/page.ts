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
  const { limit = [], cursor = [] } = query
  const after = cursor.length === 1 ? parseId('webhook', String(cursor[0])) : null
  const errors: FieldError[] = []
  if (limit.length > 0 && !isPageSize(limit)) errors.push(BAD_LIMIT)
  if (cursor.length > 0 && after === null) errors.push(BAD_CURSOR)
  if (errors.length > 0) {
    throw new HttpRejection('invalid', errors.map(({ detail }) => detail).join(' '), { errors })
  }
  return {
    ...(limit.length > 0 && { limit: Number(limit[0]) }),
    ...(after !== null && { after }),
  }
}

/** A `Link` header (RFC 8288). It is relative, so that it works behind any proxy and never leads from https to http. */
export function nextPageLink(path: string, limit: number, lastId: string): string {
  return `<${path}?${new URLSearchParams({ limit: `${limit}`, cursor: lastId })}>; rel="next"`
}

function isPageSize([text, ...more]: readonly string[]): boolean {
  return /^[1-9]\d{0,2}$/.test(text ?? '') && Number(text) <= MAX_PAGE_SIZE && more.length === 0
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
