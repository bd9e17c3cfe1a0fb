import { valueFromASTUntyped, visit } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { SCOPES } from '../auth/access/scope.ts'
import { isKeptByDouble, MAX_JSON_NESTING } from '../lib/parse-json.ts'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { builder } from './builder.ts'

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
  description: `Any JSON value. A body is nested at most ${MAX_JSON_NESTING} levels deep. Numbers are doubles. A number that is out of range, and an integer that a double cannot hold exactly, is rejected: send it as a string. A string or a key with a lone surrogate, which is half of a character, is rejected too.`,
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => {
    visit(node, { IntValue: exact, FloatValue: exact })
    return valueFromASTUntyped(node, variables)
  },
})

function exact({ value }: { readonly value: string }): void {
  if (isKeptByDouble(value)) return
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
