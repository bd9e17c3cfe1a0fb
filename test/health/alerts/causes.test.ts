import { afterEach, beforeEach, expect, test } from 'vitest'
import { verify } from '../../../packages/receiver/src/verify.ts'
import { OPERATIONAL_EVENT_TYPES } from '../../../src/health/alerts/operational-event-types.ts'
import { createWebhook, publish } from '../../scheduling/support/backlog.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { countRows } from '../../support/count-rows.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { passTime } from '../../support/pass-time.ts'
import { type Received, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { useResource } from '../../support/use-resource.ts'
import { findAlerts, runSendAlerts, switchOn } from './support/alerts.ts'

/* The receiver has two endpoints: one fails at first, and the watcher gets the alerts. */
const ENDPOINT = 'endpoint'
const WATCHER = 'watcher'
const RECOVERED = 'posthorn.webhook.recovered'
const MAX_PROBE_DELAY_SECONDS = 15 * 60
const failing = new Set<string>()

let posthorn: TestApp

const receiver = await useResource(startReceiver())

receiver.answer = (response, { path }) =>
  response.writeHead(failing.has(path.slice(1)) ? 503 : 200).end()
beforeEach(async () => {
  receiver.clear()
  failing.clear()
  failing.add(ENDPOINT)
  posthorn = await startTestApp({
    trustedAuthorities: [receiver.authority],
    environment: {
      POSTHORN_RETRY_SCHEDULE: '1h',
      POSTHORN_PUBLIC_URL: 'https://posthorn.example.com',
    },
  })
})
afterEach(() => posthorn[Symbol.asyncDispose]())

const received = (path: string) =>
  receiver.received.filter((request) => request.path === `/${path}`)

/** An evaluation of its health tells that a webhook is failing, at its own time. */
const FAILING = 'posthorn.webhook.failing'

/** The delivery of the alert of a hold. The webhook can be reported as failing before. */
const onHold = () => received(WATCHER).find(({ body }) => body.includes('webhook.on_hold'))

async function firstAlert() {
  const alerts = () => received(WATCHER).filter(({ body }) => !body.toString().includes(FAILING))
  await until(() => alerts().length > 0, 'an alert arrives')
  return alerts()[0] as Received
}

const createFailing = (options = {}) => createWebhook(posthorn, receiver.url + ENDPOINT, options)

/** Creates a webhook of the watcher. */
const watch = (options = {}) =>
  createWebhook(posthorn, receiver.url + WATCHER, {
    eventSubscriptions: OPERATIONAL_EVENT_TYPES,
    ...options,
  })

const publishSome = (count: number) =>
  publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, count)

/** Makes deliveries of every webhook of the type fail for more than a minute. */
async function keepFailing() {
  await publishSome(10)
  await until(() => received(ENDPOINT).length >= 10, 'ten attempts')
  await until(async () => (await failures()) >= 10, 'ten failures')
  await passTime(posthorn.database.pool, 90)
  await publishSome(1)
}

const notify = (type: string, organizationId = posthorn.tenant.organizationId) =>
  posthorn.database.pool.query(`select posthorn.alert($1, null, $2, '{}')`, [organizationId, type])

/** Tells a hold of the webhook. */
const notifyHold = (url: string) =>
  posthorn.database.pool.query(
    `select posthorn.alert(organization_id, id, 'posthorn.webhook.on_hold', '{}') from posthorn.webhooks
     where url = $1`,
    [url],
  )

async function failures(): Promise<number> {
  const { rows } = await posthorn.database.pool.query(
    'select max(consecutive_failures) as n from posthorn.webhook_conditions',
  )
  return rows[0].n
}

const alerts = async () =>
  (await findAlerts(posthorn.database.pool)).filter(({ type }) => type !== FAILING)
const types = async () => (await alerts()).map(({ type }) => type)

test('a webhook on hold and its recovery are each told once, in signed deliveries', async () => {
  await switchOn(posthorn)
  const webhookId = await createFailing()
  const watcherId = await watch()
  await keepFailing()
  await until(() => onHold() !== undefined, 'the hold is told')
  const alert = onHold() as Received
  expect(JSON.parse(alert.body.toString())).toMatchObject({
    type: 'posthorn.webhook.on_hold',
    data: {
      state: 'on_hold',
      summary: expect.stringContaining('at localhost is on hold'),
      alert: { action: 'trigger', key: webhookId, severity: 'critical' },
      organization: { id: posthorn.tenant.publicOrganizationId, name: 'Harvest Fair' },
      webhook: { id: webhookId, host: 'localhost', description: null },
      consecutive_failures: expect.any(Number),
      last_error: expect.stringContaining('503'),
      since: expect.stringMatching(/^20/),
      link: `https://posthorn.example.com/console/webhooks/${webhookId}`,
    },
  })
  const secret = await posthorn.rest('GET', `/webhooks/${watcherId}/secret`)
  const { key } = (await secret.json()) as { key: string }
  expect(await verify(alert.body, alert.headers, key)).toMatchObject({ ok: true })

  // A person resumes it, and nothing has succeeded: the same period.
  await posthorn.graphql(`mutation { resumeWebhook(id: "${webhookId}") { __typename } }`)
  await notifyHold(receiver.url + ENDPOINT)
  const told = await types()
  expect(told.filter((type) => type === 'posthorn.webhook.on_hold')).toHaveLength(1)
  expect(new Set(told).size).toBe(told.length)

  failing.delete(ENDPOINT)
  await keepHoldAndProbe(webhookId)
  await until(async () => (await types()).includes(RECOVERED), 'the recovery is told')
  const recovered = (await alerts()).find(({ type }) => type === RECOVERED)
  // `failing` if the health was evaluated between the two holds.
  expect(recovered).toMatchObject({
    data: {
      state: 'healthy',
      alert: { action: 'resolve', key: webhookId, severity: 'info' },
      previous_state: expect.stringMatching(/^(on_hold|failing)$/),
      webhook: { id: webhookId },
    },
  })
})

/** Puts the webhook on hold again, so that the success of the next probe ends the hold. */
async function keepHoldAndProbe(webhookId: string) {
  failing.add(ENDPOINT)
  await keepFailing()
  await until(async () => (await healthOf(webhookId)).state === 'ON_HOLD', 'on hold again')
  failing.delete(ENDPOINT)
  // The delivery of this event waits, so that there is one for the probe, which is due by now.
  await publishSome(1)
  await passTime(posthorn.database.pool, MAX_PROBE_DELAY_SECONDS)
}

async function healthOf(id: string) {
  const { webhook } = await posthorn.graphql(
    'query ($id: ID!) { webhook(id: $id) { health { state } } }',
    { id },
  )
  return webhook.health
}

test("an outage of the alerts' own receiver adds no event about it, and each alert arrives afterwards", async () => {
  await switchOn(posthorn)
  failing.add(WATCHER)
  const watcherId = await watch()
  for (let i = 0; i < 12; i++) await notify('posthorn.api_key.created')
  await until(async () => (await failures()) >= 12, 'each attempt fails')
  await passTime(posthorn.database.pool, 90)
  await notify('posthorn.api_key.expiring')
  await until(async () => (await healthOf(watcherId)).state === 'ON_HOLD', 'on hold')
  expect(await types()).toHaveLength(13)

  failing.delete(WATCHER)
  receiver.clear()
  await posthorn.graphql(`mutation { resumeWebhook(id: "${watcherId}") { __typename } }`)
  await posthorn.database.pool.query(
    `select graphile_worker.reschedule_jobs(array(
       select id from graphile_worker.jobs where task_identifier = 'posthorn:deliver'), run_at := now())`,
  )
  const ids = () => new Set(received(WATCHER).map(({ headers }) => headers['wh-id']))
  await until(() => ids().size === 13, 'each alert arrives')
  expect(await types()).toHaveLength(13)
})

test('exhausted deliveries are told at once, then once an hour with their number, and never those of alerts', async () => {
  await switchOn(posthorn)
  failing.add(WATCHER)
  const once = { retryScheduleSeconds: [] }
  const webhookId = await createFailing(once)
  await watch(once)
  const { pool } = posthorn.database
  await publishSome(40)
  // An alert that the webhook is failing can be exhausted, too.
  const exhaustedOf = (type: string) =>
    countRows(pool, `posthorn.deliveries where state = 'exhausted' and event_type = $1`, [type])
  await until(
    async () =>
      (await exhaustedOf(JOINED)) === 40 &&
      (await exhaustedOf('posthorn.delivery.exhausted')) === 1,
    'the deliveries and their alert are exhausted',
  )
  const exhausted = async () =>
    (await findAlerts(pool)).filter(({ type }) => type === 'posthorn.delivery.exhausted')
  const [first, ...others] = await exhausted()
  expect(others).toEqual([])
  expect(first?.data).toMatchObject({
    webhook: { id: webhookId },
    delivery: { event_type: JOINED, attempts: 1 },
    last_error: expect.stringContaining('503'),
  })

  const passHour = async () => {
    await pool.query(
      `update posthorn.exhausted_deliveries set reported_at = now() - interval '1 hour'`,
    )
    await runSendAlerts(pool)
  }
  await runSendAlerts(pool)
  await passHour()
  await until(async () => (await exhausted()).length > 1, 'the others are told')
  const counts = (await exhausted()).map(({ data }) => data.count)
  expect(counts.length).toBe(2)
  expect(counts[0] + counts[1]).toBe(40)

  await passHour()
  const kept = () => countRows(pool, 'posthorn.exhausted_deliveries')
  await until(async () => (await kept()) === 0, 'the next one is told at once again')
  expect(await exhausted()).toHaveLength(2)
})

test('a rotated secret and a new API key are told in the transaction that makes them', async () => {
  await switchOn(posthorn)
  const webhookId = await createFailing()
  await posthorn.rest('POST', `/webhooks/${webhookId}/secret/rotate`)
  const { database, tenant } = posthorn
  const { key } = await createApiKey(database.prisma, {
    organizationId: tenant.organizationId,
    scopes: ['events:publish'],
    name: 'Backend',
  })
  expect(await findAlerts(database.pool)).toMatchObject([
    {
      type: 'posthorn.secret.rotated',
      data: { webhook: { id: webhookId }, old_secret_expires_at: expect.stringMatching(/^20/) },
    },
    {
      type: 'posthorn.api_key.created',
      data: {
        api_key: { name: 'Backend', token_hint: key.tokenHint, scopes: ['events:publish'] },
        link: 'https://posthorn.example.com/console/api-keys',
      },
    },
  ])
  const rolledBack = database.prisma.$transaction(async (tx) => {
    await createApiKey(tx, { organizationId: tenant.organizationId, scopes: ['events:read'] })
    throw new Error('undone')
  })
  await expect(rolledBack).rejects.toThrow('undone')
  expect(await types()).toHaveLength(2)
})

test('a key that expires within 7 days and a secret that expires within 4 hours are told once', async () => {
  await switchOn(posthorn)
  const { database, tenant } = posthorn
  const { pool } = database
  const days = (n: number) => new Date(Date.now() + n * 86_400_000)
  const add = (name: string, expiresAt: Date) =>
    createApiKey(database.prisma, {
      organizationId: tenant.organizationId,
      scopes: ['events:read'],
      name,
      expiresAt,
    })
  await add('soon', days(6.5))
  await add('later', days(9))
  const { key: revoked } = await add('revoked', days(6.5))
  await pool.query('update posthorn.api_keys set revoked_at = now() where id = $1', [revoked.id])
  const webhookId = await createFailing()
  await posthorn.rest('POST', `/webhooks/${webhookId}/secret/rotate`)
  const expiring = async () =>
    (await findAlerts(pool)).filter(({ type }) => type.endsWith('.expiring'))
  const recent = `posthorn.cursors where name = 'expiring' and reached_at > now() - interval '1 hour'`
  const passed = async () => (await countRows(pool, recent)) === 1

  await runSendAlerts(pool)
  await until(passed, 'a run is over')
  expect(await expiring()).toEqual([])

  // A day passes: the last run was a day ago, and what expires does so a day earlier.
  const pass = async () => {
    // One statement, because a run of the worker between two would pass the secret over.
    await pool.query(`
      with passed as (
        update posthorn.cursors set reached_at = reached_at - interval '21 hours' where name = 'expiring'
      )
      update posthorn.signing_secrets set expires_at = expires_at - interval '21 hours'
      where expires_at is not null`)
    await runSendAlerts(pool)
    await until(passed, 'a run is over')
  }
  await pass()
  const found = await expiring()
  expect(found.map(({ type }) => type)).toEqual([
    'posthorn.api_key.expiring',
    'posthorn.secret.expiring',
  ])
  expect(found[0]?.data.api_key.name).toBe('soon')
  expect(found[1]?.data.webhook.id).toBe(webhookId)

  await runSendAlerts(pool)
  await runSendAlerts(pool)
  expect(await expiring()).toHaveLength(2)
})

test("the operator's organization gets the alerts of all others, and its receiver never hears of itself", async () => {
  const { database, tenant } = posthorn
  const customer = await createTenant(database.prisma)
  await switchOn(posthorn, tenant.publicOrganizationId)
  await watch()
  await notify('posthorn.api_key.created', customer.organizationId)
  const told = await firstAlert()
  expect(JSON.parse(told.body.toString()).data.organization.id).toBe(customer.publicOrganizationId)
  expect((await findAlerts(database.pool)).map((alert) => alert.organizationId).toSorted()).toEqual(
    [customer.organizationId, tenant.organizationId].toSorted(),
  )

  await notifyHold(receiver.url + WATCHER)
  expect(await types()).not.toContain('posthorn.webhook.on_hold')
})
