import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { MAX_PAGE_SIZE, PAGE_SIZE } from '../arguments.ts'

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

/** What a field costs itself, and how many times its subfields cost. */
export interface FieldCost {
  readonly field: number
  readonly multiplier: number
}

/** Declared with the option `complexity` of a field. A function gets the arguments as sent: nothing has checked them. */
export type Complexity<Args> =
  | Declared
  | ((args: { readonly [Name in keyof Args]?: unknown }) => Declared)
type Declared = number | Partial<FieldCost>

/**
 * A field costs 1, and its subfields cost once per row. Large texts declare their own complexity. `argsOf` is called only
 * if the arguments matter.
 */
export function fieldCost(
  field: GraphQLField<unknown, unknown> | undefined,
  parentType: GraphQLNamedType | undefined,
  argsOf: () => Record<string, unknown>,
): FieldCost {
  if (!field) return { field: 1, multiplier: 1 }
  const { type, extensions } = field
  const option = extensions['complexity'] as Complexity<Record<string, unknown>> | undefined
  const declared = typeof option === 'function' ? option(argsOf()) : option
  const usual = { field: 1, multiplier: rowsOf(type, parentType, argsOf) }
  return typeof declared === 'number' ? { ...usual, field: declared } : { ...usual, ...declared }
}

function rowsOf(
  type: GraphQLOutputType,
  parentType: GraphQLNamedType | undefined,
  argsOf: () => Record<string, unknown>,
): number {
  if (isConnection(getNamedType(type))) {
    const { first, last } = argsOf()
    const size = first ?? last ?? PAGE_SIZE
    // Any other size is rejected before a row is read.
    return typeof size === 'number' && size > 0 && size <= MAX_PAGE_SIZE ? size : 0
  }
  // The lists in a connection have the length of its page, which already multiplies them.
  if (isConnection(parentType) || !isListType(getNullableType(type))) return 1
  const { ids } = argsOf()
  return Array.isArray(ids) ? ids.length : LIST_SIZE
}

function isConnection(type: GraphQLNamedType | undefined): boolean {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}
