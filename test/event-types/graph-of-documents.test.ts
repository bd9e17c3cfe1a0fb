import type { GraphQLObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { followGraph } from '../../src/streams/event-stream/follow-graph.ts'
import { useTestApp } from '../support/app.ts'

const posthorn = await useTestApp({ role: 'api' })
const { pool, prisma } = posthorn.database
const schema = { type: 'object', properties: { total: { type: 'number' } } }
for (const name of ['graph.paid', 'graph.sent']) {
  await createEventType(prisma, { name, description: 'One.', schema }, SYSTEM)
}

const PAID = '{ event(id: "evt_1") { ... on GraphPaid { total } } }'
const BOTH = `{ event(id: "evt_1") { ... on GraphPaid { total } ... on GraphSent { total } } }`

test('a document runs in a schema with the fields of the event types that it names', async () => {
  const graph = await followGraph(pool, 1_000_000)()
  const fieldsOf = async (document: string, type: string) => {
    const found = (await graph.schemaFor(document)).getType(type) as GraphQLObjectType
    return Object.keys(found.getFields())
  }
  const common = ['id', 'type', 'occurredAt', 'publishedAt', 'data', 'cursor', 'previous']
  expect(await fieldsOf(PAID, 'GraphPaid')).toEqual([...common, 'total'])
  expect(await fieldsOf(PAID, 'GraphSent')).toEqual(common)
  expect(await fieldsOf('{ event(id:', 'GraphPaid')).toEqual(common)
  expect(await fieldsOf('fragment A on GraphSent_Data { total }', 'GraphSent')).toContain('total')
  expect(await fieldsOf('{ __schema { types { name } } }', 'GraphSent')).toContain('total')
})

test('a document whose event types would fill the heap is refused, and others run', async () => {
  const graph = await followGraph(pool, 5_000)()
  await graph.schemaFor(PAID)
  for (const document of [BOTH, '{ __type(name: "GraphPaid") { name } }']) {
    const error = { message: expect.stringMatching(/too large together.*Name fewer/) }
    await expect(graph.schemaFor(document)).rejects.toMatchObject(error)
  }
  await graph.schemaFor(PAID)
  expect(String(await graph.print())).toContain('type GraphSent implements Event')
})

test('an event of a type that the document does not name has its own __typename', async () => {
  const [event] = await posthorn.services.publishEvents(posthorn.tenant.organizationId, [
    { type: 'graph.sent', data: { total: 1 } },
  ])
  const query = `query ($id: ID!) { event(id: $id) { __typename data ... on GraphPaid { total } } }`
  const body = JSON.stringify({ query, variables: { id: event?.id } })
  const authorization = `Bearer ${posthorn.tenant.token}`
  const headers = { authorization, 'content-type': 'application/json' }
  const url = `${posthorn.app.url}/graphql/events`
  const response = await fetch(url, { method: 'POST', headers, body })
  const found = { __typename: 'GraphSent', data: { total: 1 } }
  expect(await response.json()).toMatchObject({ data: { event: found } })
})
