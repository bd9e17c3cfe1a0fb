import { readFileSync } from 'node:fs'
import { type GraphQLInputObjectType, parse, validate, visit } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/server/schema.ts'

const FOLDER = new URL('../../examples/terraform/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')

const CONFIGURATION = read('main.tf')

/** A resource of the configuration, and its documents by the name of the argument. */
function resourceOf(name: string) {
  const start = CONFIGURATION.indexOf(`resource "graphql_mutation" "${name}" {`)
  const block = CONFIGURATION.slice(start, CONFIGURATION.indexOf('\n}\n', start))
  const files = [...block.matchAll(/(\w+)\s*= file\("\$\{path\.module\}\/(.+)"\)/g)]
  const documents = files.map(([, role = '', file = '']) => [role, read(file)] as const)
  return { block, documents: Object.fromEntries(documents) }
}

const WEBHOOK = resourceOf('webhook')

test.each(['organization', 'webhook'])(
  'the documents of the %s fit the schema, and the configuration gives their variables',
  (name) => {
    const { block, documents } = resourceOf(name)
    expect(Object.keys(documents).toSorted()).toEqual([
      ...['create_mutation', 'delete_mutation', 'read_query', 'update_mutation'],
    ])
    for (const text of Object.values(documents)) {
      const document = parse(text)
      expect(validate(schema, document)).toEqual([])
      const names = text.matchAll(/\$(\w+):/g)
      for (const [, variable] of names) expect(block).toContain(`"${variable}"`)
    }
  },
)

test('each field of a webhook is compared with the configuration, or is named as one that is not', () => {
  const [operation] = parse(WEBHOOK.documents['read_query'] ?? '').definitions
  const fields: string[] = []
  if (operation) {
    visit(operation, {
      Field: ({ name, alias }) => void fields.push(alias?.value ?? name.value),
    })
  }
  const [, list = ''] = /not_compared = \[(.*)\]/.exec(CONFIGURATION) ?? []
  const notCompared = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name)
  const input = schema.getType('UpsertWebhookInput') as GraphQLInputObjectType
  const missing = Object.keys(input.getFields()).filter((name) => !fields.includes(name))
  expect(notCompared.toSorted()).toEqual(missing.toSorted())
})
