import { readFileSync } from 'node:fs'
import { type GraphQLInputObjectType, Kind, parse, validate, visit } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/server/schema.ts'

const FOLDER = new URL('../../examples/terraform/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')

const CONFIGURATION = read('main.tf')

/** A resource of the configuration: its documents by the name of the argument, and the names of its variables. */
interface Resource {
  readonly documents: Readonly<Record<Role, string>>
  readonly mutationVariables: readonly string[]
  readonly readVariables: readonly string[]
  readonly computed: Readonly<Record<string, string>>
}
type Role = 'create_mutation' | 'update_mutation' | 'read_query' | 'delete_mutation'

function resourceOf(name: string): Resource {
  const start = CONFIGURATION.indexOf(`resource "graphql_mutation" "${name}" {`)
  const block = CONFIGURATION.slice(start, CONFIGURATION.indexOf('\n}\n', start))
  const files = [...block.matchAll(/(\w+)\s*= file\("\$\{path\.module\}\/(.+)"\)/g)]
  const mapOf = (argument: string) => {
    const text = new RegExp(`${argument}\\s*= \\{(.*?)\\n? *\\}\\n`, 's').exec(block)?.[1] ?? ''
    return [...text.matchAll(/"(\w+)"\s*= (.*)/g)].map(([, key = '', value = '']) => [key, value])
  }
  return {
    documents: Object.fromEntries(files.map(([, role, file = '']) => [role, read(file)])) as Record<
      Role,
      string
    >,
    mutationVariables: mapOf('mutation_variables').map(([key = '']) => key),
    readVariables: mapOf('read_query_variables').map(([key = '']) => key),
    computed: Object.fromEntries(
      mapOf('compute_mutation_keys').map(([key, value = '']) => [key, JSON.parse(value.trim())]),
    ),
  }
}

const ORGANIZATION = resourceOf('organization')
const WEBHOOK = resourceOf('webhook')

test.each(Object.entries({ ORGANIZATION, WEBHOOK }))(
  'the documents of %s fit the schema, and the configuration gives their variables',
  (_name, resource) => {
    const given: Record<Role, readonly string[]> = {
      create_mutation: resource.mutationVariables,
      update_mutation: [...resource.mutationVariables, ...Object.keys(resource.computed)],
      read_query: [...resource.readVariables, ...Object.keys(resource.computed)],
      delete_mutation: Object.keys(resource.computed),
    }
    for (const [role, names] of Object.entries(given)) {
      const text = resource.documents[role as Role]
      expect(text, role).toBeTypeOf('string')
      const document = parse(text)
      expect(validate(schema, document)).toEqual([])
      const [operation] = document.definitions
      if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(role)
      for (const { variable } of operation.variableDefinitions ?? []) {
        expect(names).toContain(variable.name.value)
      }
    }
  },
)

test('each field of a webhook is compared with the configuration, or is named as one that is not', () => {
  const [operation] = parse(WEBHOOK.documents.read_query).definitions
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
