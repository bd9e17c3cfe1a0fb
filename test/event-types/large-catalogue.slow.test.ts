import { expect, test } from 'vitest'
import { startInstallation } from '../support/installation.ts'
import { logLines } from '../support/log-lines.ts'

/** As those of large public APIs: objects of many short fields, which contain others. */
function schemaOf(type: number, bytes: number): object {
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`field_${i}_url`, { type: 'string' }]),
  )
  const one = { type: 'object', properties }
  const names = Array.from(
    { length: Math.ceil(bytes / JSON.stringify(one).length) },
    (_, i) => `part_${type}_${i}`,
  )
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: Object.fromEntries(names.map((name) => [name, one])),
  }
}

test.each([
  ['the smallest heap', 300, { POSTHORN_MAX_HEAP_MB: '128' }],
  ['the default heap', 1_000, {}],
])('%s serves %d event types of 10 KB, and publishes 200', async (_heap, types, settings) => {
  await using installation = await startInstallation(settings)
  const { call, database, posthorn } = installation
  const names = Array.from({ length: types }, (_, i) => `large.type_${i}`)
  await database.pool.query(
    `insert into posthorn.event_types (name, description, schema)
     select name, 'One of many.', schema from unnest($1::text[], $2::json[]) as given (name, schema)`,
    [names, names.map((_, i) => JSON.stringify(schemaOf(i, 10_000)))],
  )
  const statuses: number[] = []
  for (const route of ['/openapi.json', '/schema-events.graphql']) {
    const response = await call('GET', route)
    expect((await response.text()).length).toBeGreaterThan(types * 1_000)
    statuses.push(response.status)
  }
  const fields = '{ eventTypes { selectableFields { path } } }'
  const named = '{ event(id: "evt_1") { ... on LargeType1 { part_1_0 { field_0_url } } } }'
  for (const [route, query, code] of [
    ['/graphql', fields, 'LIMIT_EXCEEDED'],
    ['/graphql/events', named, undefined],
  ] as const) {
    const response = await call('POST', route, { query })
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] }
    expect(errors?.[0]?.extensions.code).toBe(code)
  }
  for (let i = 0; i < 200; i += 50) {
    const events = names.slice(i, i + 50).map((type) => ({ type, data: {} }))
    const query =
      'mutation($events: [PublishEventInput!]!) { publishEvents(input: { events: $events }) { __typename } }'
    const response = await call('POST', '/graphql', { query, variables: { events } })
    expect(await response.json()).toMatchObject({
      data: { publishEvents: { __typename: 'PublishEventsSuccess' } },
    })
    statuses.push(response.status)
  }
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(logLines(posthorn).map(({ msg }) => msg)).not.toContain(
    'the thread ended and is started again',
  )
})
