import { valueFromASTUntyped, visit } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { SCOPES } from '../auth/access/scope.ts'
import { isExactNumber } from '../lib/exact-number.ts'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { builder } from './builder.ts'

/** Serializing a deeply nested value would overflow the stack. No real payload is nested this deep. */
const MAX_JSON_DEPTH = 128

builder.scalarType('DateTime', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description:
    'An RFC 3339 time, such as `2026-01-31T12:00:00Z`. Responses use UTC with milliseconds.',
  serialize: (time) => time.toISOString(),
  parseValue: (value) => parseTime(value),
})

builder.scalarType('Scope', {
  description: `A scope of an API key or a session: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. \`admin\` is for operators and has every scope.`,
  serialize: (scope) => scope,
  parseValue: (value) => {
    if (typeof value === 'string') return value
    throw createGraphQLError('A Scope is a string, such as "webhooks:read".')
  },
})

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: `Any JSON value, nested at most ${MAX_JSON_DEPTH} levels deep. Numbers are doubles. A number that is out of range, and an integer that a double cannot hold exactly, is rejected: send it as a string. A string or a key with a lone surrogate, which is half of a character, is rejected too.`,
  serialize: (value) => value,
  parseValue: (value) => shallow(value),
  parseLiteral: (node, variables) => {
    visit(node, { IntValue: exact, FloatValue: exact })
    return shallow(valueFromASTUntyped(node, variables))
  },
})

function exact({ value }: { readonly value: string }): void {
  if (isExactNumber(value)) return
  throw createGraphQLError(
    'The JSON value contains a number that cannot be stored exactly. Send it as a string.',
  )
}

function parseTime(value: unknown): Date {
  const time = typeof value === 'string' ? parseRfc3339(value) : null
  if (time) return time
  throw createGraphQLError(
    'A DateTime is an RFC 3339 time in a string, such as "2026-01-31T12:00:00Z".',
  )
}

function shallow(value: unknown): unknown {
  if (isShallow(value, MAX_JSON_DEPTH)) return value
  throw createGraphQLError(`A JSON value may be nested at most ${MAX_JSON_DEPTH} deep.`)
}

/** Recursive, because the depth is limited. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return depth >= 0
  if (depth < 0) return false
  if (Array.isArray(value)) return value.every((item) => isShallow(item, depth - 1))
  for (const name in value) {
    if (!isShallow((value as Readonly<Record<string, unknown>>)[name], depth - 1)) return false
  }
  return true
}
