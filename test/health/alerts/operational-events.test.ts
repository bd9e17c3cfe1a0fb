import { expect, test } from 'vitest'
import { OPERATIONAL_EVENT_TYPES } from '../../../src/health/alerts/operational-event-types.ts'
import { checkSchema } from '../../../src/lib/json-schema.ts'
import { useTestApp } from '../../support/app.ts'
import { JOINED, TICKET } from '../../support/factories.ts'
import { callerWith } from '../../support/post-graphql.ts'
import { findAlerts, setOperationalEvents, switchOn } from './support/alerts.ts'

const ON_HOLD = 'posthorn.webhook.on_hold'

const posthorn = await useTestApp({ role: 'api', environment: {} })

const create = (type: string) =>
  posthorn.rest('POST', '/webhooks', {
    url: 'https://example.com/hooks',
    event_subscriptions: [type],
  })

async function catalogue(): Promise<string[]> {
  const { eventTypes } = await posthorn.graphql('{ eventTypes { name } }')
  return eventTypes.map(({ name }: { name: string }) => name)
}

const alert = () =>
  posthorn.database.pool.query(
    `select posthorn.alert($1, null, 'posthorn.api_key.created', '{}')`,
    [posthorn.tenant.organizationId],
  )

test('a fresh installation has no operational events: not in REST, not in the catalogue, and none is published', async () => {
  const refused = await create(ON_HOLD)
  expect(refused.status).toBe(422)
  const { errors } = (await refused.json()) as { errors: { detail: string }[] }
  expect(errors.map(({ detail }) => detail)).toEqual([
    `There is no event type "${ON_HOLD}". The event types are ${JOINED}, ${TICKET}.`,
  ])
  expect(await catalogue()).toEqual([JOINED, TICKET])
  await alert()
  expect(await findAlerts(posthorn.database.pool)).toEqual([])
})

test('only an operator switches them on, and off again, with an entry in the audit log', async () => {
  const { app, database, tenant } = posthorn
  const refused = await setOperationalEvents(app.url, tenant.token, { enabled: true })
  expect(refused.errors[0].message).toMatch(/admin/)
  expect(await catalogue()).toEqual([JOINED, TICKET])

  const operator = await switchOn(posthorn)
  expect(await catalogue()).toEqual([JOINED, TICKET, ...OPERATIONAL_EVENT_TYPES.toSorted()])
  expect((await create(ON_HOLD)).status).toBe(201)
  await alert()
  expect(await findAlerts(database.pool)).toHaveLength(1)

  const { data } = await setOperationalEvents(app.url, operator, { enabled: false })
  expect(data.setOperationalEvents.operationalEvents).toEqual({
    enabled: false,
    operatorOrganization: null,
  })
  expect(await catalogue()).toEqual([JOINED, TICKET])
  expect((await create(ON_HOLD)).status).toBe(422)
  await alert()
  expect(await findAlerts(database.pool)).toHaveLength(1)

  const { rows } = await database.pool.query(
    `select before ->> 'enabled' as before, after ->> 'enabled' as after from posthorn.audit_log
     where action = 'operational_events.updated' order by id`,
  )
  expect(rows).toEqual([
    { before: 'false', after: 'true' },
    { before: 'true', after: 'false' },
  ])
})

test('a change of one setting leaves the other as it is', async () => {
  const operator = await switchOn(posthorn)
  const operatorOrganizationId = posthorn.tenant.publicOrganizationId
  const change = async (input: object) => {
    const { data } = await setOperationalEvents(posthorn.app.url, operator, input)
    return data.setOperationalEvents.operationalEvents
  }
  const operatorOrganization = { id: operatorOrganizationId }
  expect(await change({ operatorOrganizationId })).toEqual({ enabled: true, operatorOrganization })
  expect(await change({ enabled: false })).toEqual({ enabled: false, operatorOrganization })
  expect(await change({ operatorOrganizationId: null })).toEqual({
    enabled: false,
    operatorOrganization: null,
  })
})

test('an unknown operator organization is refused, and nothing is switched', async () => {
  const operator = await switchOn(posthorn)
  const { data } = await setOperationalEvents(posthorn.app.url, operator, {
    enabled: false,
    operatorOrganizationId: 'org_00000000000000000000000000',
  })
  expect(data.setOperationalEvents.message).toMatch(/no organization/)
  expect(await catalogue()).toContain(ON_HOLD)
})

test('nobody else publishes or defines operational events', async () => {
  const operator = await switchOn(posthorn)
  const { publishEvent } = await posthorn.graphql(
    `mutation ($type: String!) { publishEvent(input: { type: $type, data: {} }) {
      ... on ValidationError { issues { code message } } } }`,
    { type: ON_HOLD },
  )
  expect(publishEvent.issues[0].code).toBe('reserved_event_type')
  const publishInSql = posthorn.database.pool.query(`select posthorn.publish_event($1, $2, '{}')`, [
    posthorn.tenant.publicOrganizationId,
    ON_HOLD,
  ])
  await expect(publishInSql).rejects.toThrow('type: Posthorn itself publishes the events')

  const edit = (mutation: string) =>
    callerWith(posthorn.app.url, operator).graphql(
      `mutation { ${mutation} { __typename ... on ValidationError { issues { code } } } }`,
    )
  const issues = { __typename: 'ValidationError', issues: [{ code: 'reserved_event_type' }] }
  expect(
    await edit('createEventType(input: { name: "posthorn.mine", description: "Mine." })'),
  ).toEqual({ createEventType: issues })
  expect(
    await edit(`updateEventType(id: "type_${ON_HOLD}", input: { description: "Mine." })`),
  ).toEqual({ updateEventType: issues })
  expect(
    await edit('createEventType(input: { name: "posthorns.mine", description: "Mine." })'),
  ).toMatchObject({ createEventType: { __typename: 'CreateEventTypeSuccess' } })
})

test('each example of the catalogue matches its schema', async () => {
  await switchOn(posthorn)
  const { rows } = await posthorn.database.pool.query(
    `select name, schema, example from posthorn.event_types where name like 'posthorn.%' order by name`,
  )
  expect(rows.map(({ name }) => name)).toEqual(OPERATIONAL_EVENT_TYPES.toSorted())
  for (const { name, schema, example } of rows) {
    const { check, problem } = await checkSchema(schema)
    expect(problem, name).toBeUndefined()
    expect(check?.(example), name).toEqual([])
    expect(check?.({}), name).not.toEqual([])
    expect(example.summary).toMatch(/^The (webhook Ticketing at hooks|API key Backend).*[^.]\.$/)
    expect(example.summary).not.toContain(name)
  }
})
