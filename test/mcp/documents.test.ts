import { readFileSync } from 'node:fs'
import { buildSchema, getNamedType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { expect, test } from 'vitest'
import { MAX_ANSWER_BYTES, PARTNER_FIELDS, toResult } from '../../packages/mcp/answer.ts'
import * as documents from '../../packages/mcp/documents.ts'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
/** Texts that Posthorn or its operator writes, and those that are inside one that is marked. */
const OF_POSTHORN = [
  'Attempt.advice',
  'Attempt.cause',
  'EventType.name',
  'Header.name',
  'Header.value',
  'PageInfo.endCursor',
]

test('every text that partners write is marked', () => {
  const trusted = new Set<string>()
  for (const text of Object.values(documents)) {
    const info = new TypeInfo(schema)
    const Field = ({ name }: { readonly name: { readonly value: string } }) => {
      const type = getNamedType(info.getType() ?? undefined)?.name ?? ''
      const isText = ['String', 'JSON'].includes(type) && !PARTNER_FIELDS.has(name.value)
      if (isText) trusted.add(`${info.getParentType()?.name}.${name.value}`)
    }
    visit(parse(text), visitWithTypeInfo(info, { Field }))
  }
  const others = [...trusted].filter(
    (field) => !/Edge\.cursor$|Error\.(code|path)$|Issue\.path$/.test(field),
  )
  expect(others.toSorted()).toEqual(OF_POSTHORN)
})

const edges = (text: string) =>
  Array.from({ length: 50 }, (_, i) => ({
    cursor: `c${i}`,
    node: { id: `msg_${i}`, url: text, subscriptions: [text] },
  }))

test.each([
  ['text', 'a'.repeat(300_000)],
  ['control characters', '\u001b'.repeat(200_000)],
  ['tags', '\u{e0041}'.repeat(100_000)],
  ['nothing', ''],
])('an answer has at most 20 KB with %s, and goes on where it ends', (_, text) => {
  const pageInfo = { hasNextPage: false, endCursor: 'c49' }
  const result = toResult({ webhooks: { totalCount: 50, edges: edges(text), pageInfo } })
  const bytes = Buffer.byteLength(JSON.stringify(result))
  expect(bytes).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  const { webhooks } = result.structuredContent as {
    webhooks: { items: unknown[]; nextCursor: string | null }
  }
  const { length } = webhooks.items
  expect(length).toBeGreaterThan(0)
  expect(webhooks.nextCursor).toBe(length < 50 ? `c${length - 1}` : null)
})
