import { readFileSync } from 'node:fs'
import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { hashOf, trustedDocumentsOf } from '../../src/mcp/trusted-documents.ts'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const all = Object.entries(trustedDocumentsOf('write'))

test.each(all)('the document %s fits the schema, and has its hash', (hash, text) => {
  expect(validate(schema, parse(text))).toEqual([])
  expect(hash).toBe(hashOf(text))
})

test('without write, no document changes anything', () => {
  const read = Object.values(trustedDocumentsOf('read'))
  const isMutation = (text: string) => text.trimStart().startsWith('mutation')
  expect(read.filter(isMutation)).toEqual([])
  expect(read).toEqual(all.map(([, text]) => text).filter((text) => !isMutation(text)))
  expect(trustedDocumentsOf('off')).toEqual({})
})

test('every document has one operation, whose name says that a tool runs it', () => {
  for (const [, text] of all) {
    const operations = parse(text).definitions.filter(({ kind }) => kind === 'OperationDefinition')
    expect(operations).toMatchObject([{ name: { value: expect.stringMatching(/^Mcp/) } }])
  }
})
