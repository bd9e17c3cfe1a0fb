import { readFileSync } from 'node:fs'
import { type GraphQLInputObjectType, Kind, parse, validate, visit } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { type Api, openApi, readAnswer } from '../graphql/support/api.ts'

const FOLDER = new URL('../../examples/terraform/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, FOLDER), 'utf8')

const CONFIGURATION = read('main.tf')
const VARIABLES = JSON.parse(read('posthorn.auto.tfvars.json'))

let api: Api
let operator: Awaited<ReturnType<Api['tenant']>>

beforeAll(async () => {
  api = await openApi()
  operator = await api.tenant(['admin'])
})
afterAll(() => api[Symbol.asyncDispose]())

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

/** Sends a request as the provider does: the value of each variable is read as JSON, or else is a text. */
async function send(
  query: string,
  variables: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const values = Object.entries(variables).map(([name, text]) => {
    try {
      return [name, JSON.parse(text)]
    } catch {
      return [name, text]
    }
  })
  const answer = await api.handle(
    new Request('http://127.0.0.1:4000/graphql', {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json; charset=utf-8',
        authorization: `Bearer ${operator.token}`,
        ...headers,
      },
      body: `${JSON.stringify({ query, variables: Object.fromEntries(values) })}\n`,
    }),
  )
  expect(answer.status).toBe(200)
  const { data, errors } = await readAnswer(answer)
  expect(errors).toBeUndefined()
  return data
}

/** The computed variables, taken from an answer by their paths. */
function computedOf({ computed }: Resource, data: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(computed).map(([name, path]) => {
      const value = path.split('.').reduce<unknown>((at, key) => Object(at)[key], data)
      return [name, String(value)]
    }),
  )
}

/** Creates or updates, and reads. The provider sends a variable that no document has, too. */
async function apply(
  resource: Resource,
  role: 'create_mutation' | 'update_mutation',
  uid: string,
  input: object,
  headers = {},
) {
  const name = JSON.stringify(uid)
  const variables = { uid: name, input: JSON.stringify(input), run: '2026-01-31T12:00:00Z' }
  const done = Object.values(await send(resource.documents[role], variables, headers))[0] as {
    created?: boolean
    changed?: boolean
    code?: string
  }
  const found = await send(resource.documents.read_query, { uid: name }, headers)
  return { done, found: Object.values(found)[0] as Record<string, unknown>, data: found }
}

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

test('a run creates everything, the next changes nothing, a change changes one thing, and destroy deletes', async () => {
  const { organization, webhooks } = VARIABLES
  const { uid, ...settings } = organization
  const first = await apply(ORGANIZATION, 'create_mutation', uid, settings)
  expect(first.done).toMatchObject({ created: true, changed: true })
  expect(first.found).toMatchObject(settings)
  const headers = { 'posthorn-organization': uid }

  for (const [name, input] of Object.entries<object>(webhooks)) {
    const { done, found } = await apply(WEBHOOK, 'create_mutation', name, input, headers)
    expect(done).toMatchObject({ created: true, changed: true })
    // What the block `check` compares.
    for (const [field, value] of Object.entries(input)) expect(found[field]).toEqual(value)
  }

  const before = await rows()
  for (const role of ['create_mutation', 'update_mutation'] as const) {
    expect((await apply(ORGANIZATION, role, uid, settings)).done).toMatchObject({
      created: false,
      changed: false,
    })
    for (const [name, input] of Object.entries<object>(webhooks)) {
      const { done } = await apply(WEBHOOK, role, name, input, headers)
      expect(done).toMatchObject({ created: false, changed: false })
    }
  }
  expect(await rows()).toEqual(before)

  const [[name, input] = ['', {}]] = Object.entries<object>(webhooks)
  const changed = { ...input, url: 'https://elsewhere.example.com/webhooks' }
  const { done, found, data } = await apply(WEBHOOK, 'update_mutation', name, changed, headers)
  expect(done).toMatchObject({ created: false, changed: true })
  expect(found).toMatchObject(changed)

  const refused = await apply(WEBHOOK, 'update_mutation', name, { ...input, url: 'x' }, headers)
  expect(refused.done).toMatchObject({ code: 'invalid' })
  expect(refused.found).toMatchObject(changed)

  await send(WEBHOOK.documents.delete_mutation, computedOf(WEBHOOK, data), headers)
  const gone = await send(WEBHOOK.documents.read_query, { uid: JSON.stringify(name) }, headers)
  expect(gone).toEqual({ webhook: null })
  // Deleted elsewhere: Terraform still has it in its state, so a run that sends every upsert updates it.
  const again = await apply(WEBHOOK, 'update_mutation', name, input, headers)
  expect(again.done).toMatchObject({ created: true, changed: true })
  await send(WEBHOOK.documents.delete_mutation, computedOf(WEBHOOK, again.data), headers)
  // And destroyed with the id of one that is deleted: no error of the request, so the destruction goes on.
  await send(WEBHOOK.documents.delete_mutation, computedOf(WEBHOOK, again.data), headers)
  await send(ORGANIZATION.documents.delete_mutation, computedOf(ORGANIZATION, first.data))
  const released = await send(ORGANIZATION.documents.read_query, { uid: JSON.stringify(uid) })
  expect(released).toEqual({ organization: null })
  const { id } = computedOf(ORGANIZATION, first.data)
  const query = '{ organizations { nodes { id name } } }'
  const { organizations } = await send(query, {})
  expect(organizations.nodes).toContainEqual({ id, name: settings.name })
})

/** What a run that changes nothing leaves as it is. */
async function rows() {
  const { prisma } = api.database
  return {
    audit: await prisma.auditEntry.count(),
    organizations: await prisma.organization.findMany({ orderBy: { id: 'asc' } }),
    webhooks: await prisma.webhook.findMany({ orderBy: { id: 'asc' } }),
    secrets: await prisma.signingSecret.count(),
  }
}
