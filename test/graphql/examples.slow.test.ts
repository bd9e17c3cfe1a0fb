import { readdirSync, readFileSync } from 'node:fs'
import { Kind, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { useApi } from './support/api.ts'
import { document, EXAMPLES } from './support/document.ts'
import { exampleCalls } from './support/example-calls.ts'
import { SCHEMA } from './support/schema-calls.ts'

const api = await useApi('own')
const tenant = await api.tenant(SCOPES)
const { things, variablesOf } = exampleCalls(api, tenant)

const documents = readdirSync(EXAMPLES).map((name) => ({
  file: name.replace('.graphql', ''),
  parsed: parse(readFileSync(new URL(name, EXAMPLES), 'utf8')),
}))
const operations = documents.flatMap(({ file, parsed }) =>
  parsed.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? [{ file, name: definition.name?.value ?? '', kind: definition.operation }]
      : [],
  ),
)
const queriesAndMutations = operations.filter(({ kind }) => kind !== 'subscription')

test.each(documents)('the examples of $file fit the schema, subscriptions too', ({ parsed }) => {
  expect(validate(SCHEMA, parsed)).toEqual([])
})

/** Of one operation. */
const MOST_STATEMENTS = 20

test.each(queriesAndMutations)('$name works, without a statement for each row', async (example) => {
  const variables = await variablesOf(example.name)
  const query = document(example.file, example.name)
  const ask = () => tenant.ask(query, variables)
  const data = await ask()
  const { length } = api.statements.list
  expect(length, api.statements.list.join('\n')).toBeLessThanOrEqual(MOST_STATEMENTS)
  if (example.kind === 'query') {
    await things()
    await ask()
    expect(api.statements.list, 'with more rows').toHaveLength(length)
  }
  for (const [field, answer] of Object.entries(data)) {
    if (example.kind === 'mutation') {
      expect((answer as { __typename: string }).__typename, field).toMatch(/Success$/)
    } else {
      expect(answer, field).not.toBeNull()
    }
  }
})
