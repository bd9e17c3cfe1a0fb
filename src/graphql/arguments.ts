import { parsePrismaCursor } from '@pothos/plugin-prisma'
import { z } from 'zod'
import { type DomainError, fieldIssue, invalid } from '../lib/errors.ts'

/** The default and the maximum page size. */
export const PAGE_SIZE = 20
export const MAX_PAGE_SIZE = 100

export const pageSizeRule = z
  .int()
  .refine((size) => size >= 0 && size <= MAX_PAGE_SIZE, `must be from 0 to ${MAX_PAGE_SIZE}`)
  .nullish()

/**
 * A cursor holds the uuid of a row, or a place in a list that is read whole. Without this rule, Postgres would reject any other
 * and answer with a fault.
 */
export const cursorRule = z.string().refine(isCursor, 'must be a cursor from a page').nullish()

export const MAX_CHOICES = 20

/**
 * Each choice can be one more range of an index. An empty list would match nothing, and a page whose user chose nothing means
 * everything.
 */
export const choicesRule = z
  .array(z.unknown())
  .min(1, 'must not be empty; omit it to match all')
  .max(MAX_CHOICES, `must have at most ${MAX_CHOICES} entries`)
  .nullish()

export const idsRule = z
  .array(z.unknown())
  .max(MAX_PAGE_SIZE, `must have at most ${MAX_PAGE_SIZE} entries`)

/** The error for invalid arguments: the same that domain functions throw for invalid input. */
export function argumentError(
  issues: readonly {
    message: string
    path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
  }[],
): DomainError {
  return invalid(
    issues.map(({ message, path = [] }) => {
      const names = path.map((part) => String(typeof part === 'object' ? part.key : part))
      return fieldIssue(names, 'invalid_argument', `${message}.`)
    }),
  )
}

const PLACE = /^OffsetConnection:\d{1,9}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isCursor(cursor: string): boolean {
  try {
    return UUID.test(String(parsePrismaCursor(cursor)))
  } catch {
    return PLACE.test(Buffer.from(cursor, 'base64').toString())
  }
}
