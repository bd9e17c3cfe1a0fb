import { parseId } from '../../db/ids.ts'
import type { FieldError } from '../../http/field-error.ts'
import { HttpRejection } from '../../http/http-rejection.ts'

export const MAX_PAGE_SIZE = 100

/** Which part of a list is asked for: all of it, unless it says otherwise. */
export interface Page {
  readonly limit?: number
  /** The uuid of the last one of the page before. */
  readonly after?: string
}

/** Reads `?limit=` and `?cursor=`. Other parameters mean nothing here and are let be. */
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

/** RFC 8288. Relative, so that it holds behind every proxy and never sends a key from https to http. */
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
  detail: 'cursor must be one taken from the Link header of an earlier page, given once.',
}
