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
 * The maximum number of fields in a response. Nested pages of 100 exceed it. A page of 50 deliveries, each with its event,
 * its webhook and ten attempts, is about two thirds of it.
 */
export const MAX_COMPLEXITY = 100_000

/** The complexity of a field of up to 256 KiB. A response can read one for each row of a page, and few more. */
export const LARGE_TEXT = 800

/** The complexity of a field of up to 16 KiB. */
export const MEDIUM_TEXT = 25

/** The assumed length of a list that is neither a page nor requested by ids. */
const LIST_SIZE = 10

/** A field costs 1, and its subfields cost once per row. Large texts declare their own complexity. */
export const fieldComplexity: FieldComplexityFunction<Context, Record<string, unknown>> = (
  args,
  _context,
  { type, parentType },
) => {
  if (isConnection(type)) return { field: 1, multiplier: pageSize(args) }
  // The lists in a connection have the length of its page, which already multiplies them.
  const isPage = parentType !== undefined && isConnection(parentType)
  if (isPage || !isListType(getNullableType(type))) return { field: 1, multiplier: 1 }
  const { ids } = args
  return { field: 1, multiplier: Array.isArray(ids) ? ids.length : LIST_SIZE }
}

function isConnection(type: GraphQLOutputType): boolean {
  const named = getNamedType(type)
  return isObjectType(named) && 'pageInfo' in named.getFields()
}

/** Validation rejects a size out of bounds before a row is read. */
function pageSize(args: Record<string, unknown>): number {
  const size = Number(args['first'] ?? args['last'] ?? PAGE_SIZE)
  return size >= 0 && size <= MAX_PAGE_SIZE ? size : 0
}
