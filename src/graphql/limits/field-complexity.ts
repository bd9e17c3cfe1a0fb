import type { FieldComplexityFunction } from '@pothos/plugin-complexity'
import {
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { MAX_PAGE_SIZE, PAGE_SIZE } from '../arguments.ts'
import type { Context } from '../context.ts'

/**
 * The fields that one answer may hold. Pages of 100 inside each other are too many; a page of 50 deliveries, each with its
 * event, its webhook and ten attempts, is two thirds or so.
 */
export const MAX_COMPLEXITY = 100_000

/** What a field of up to 256 KiB costs: an answer reads one for each row of a page, and hardly more. */
export const LARGE_TEXT = 800

/** The same for up to 16 KiB. */
export const MEDIUM_TEXT = 25

/** How long a list is taken to be that is neither a page nor asked for by ids. */
const LIST_SIZE = 10

/** A field costs 1, and what it holds once for each row; large texts say what they cost themselves. */
export const fieldComplexity: FieldComplexityFunction<Context, Record<string, unknown>> = (
  args,
  _context,
  { type, parentType },
) => {
  if (isConnection(type)) return { field: 1, multiplier: pageSize(args) }
  // The lists in a connection are as long as its page, which multiplies them already.
  const isPage = parentType !== undefined && isConnection(parentType)
  if (isPage || !isListType(getNullableType(type))) return { field: 1, multiplier: 1 }
  const { ids } = args
  return { field: 1, multiplier: Array.isArray(ids) ? ids.length : LIST_SIZE }
}

function isConnection(type: GraphQLOutputType): boolean {
  const named = getNamedType(type)
  return isObjectType(named) && 'pageInfo' in named.getFields()
}

/** A size out of bounds is refused by its own rule, before a row is read. */
function pageSize(args: Record<string, unknown>): number {
  const size = Number(args['first'] ?? args['last'] ?? PAGE_SIZE)
  return size >= 0 && size <= MAX_PAGE_SIZE ? size : 0
}
