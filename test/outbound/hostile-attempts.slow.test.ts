import { expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { MISBEHAVIOURS } from './hostile-receivers.ts'
import { authority, openReceiver } from './sending.ts'

test('an attempt to a misbehaving receiver ends, reports what happened, and delays no other attempt', async () => {
  const posthorn = await startTestApp({
    environment: { POSTHORN_ATTEMPT_TIMEOUT: '3s', POSTHORN_RETRY_SCHEDULE: '' },
    trustedAuthorities: [authority.pem],
  })
  onTestFinished(() => posthorn[Symbol.asyncDispose]())
  const opened = await Promise.all(
    MISBEHAVIOURS.map(async (one) => ({ ...one, receiver: await one.open() })),
  )
  const urlOf = ({ port }: { readonly port: number }) => `https://localhost:${port}/`
  const healthy = urlOf(await openReceiver())
  for (const url of [...opened.map(({ receiver }) => urlOf(receiver)), healthy]) {
    const webhook = { url, event_subscriptions: [JOINED], enabled: true }
    expect((await posthorn.rest('POST', '/webhooks', webhook)).status).toBe(201)
  }
  const { services } = posthorn
  await services.publishEvents(posthorn.tenant.organizationId, [{ type: JOINED, data: {} }])

  const attempts = async () => (await posthorn.database.pool.query(ATTEMPTS)).rows
  await until(async () => {
    const states = (await attempts()).map(({ state }) => state)
    return states.length > opened.length && !states.includes('pending')
  }, 'every delivery is finished')
  const rows = await attempts()

  const good = rows.find(({ url }) => url === healthy)
  expect(good).toMatchObject({ status: 200, state: 'succeeded', attempts: 1 })
  for (const { name, status, errorCode, error, receiver } of opened) {
    const row = rows.find(({ url }) => url === urlOf(receiver))
    expect.soft({ name, ...row }).toMatchObject({
      name,
      status,
      code: errorCode,
      error: error instanceof RegExp ? expect.stringMatching(error) : error,
      state: status === 200 ? 'succeeded' : 'exhausted',
      attempts: 1,
    })
    expect.soft(row?.body?.length ?? 0, name).toBeLessThanOrEqual(16 * 1024)
    const isCutOff = status === null || /^(drips|pours)/.test(name)
    if (isCutOff) await until(() => !receiver.openConnections, `the connection is closed: ${name}`)
  }
})

const ATTEMPTS = `
  select w.url, d.state, d.attempt_count as attempts, a.status, a.error_code as code, a.error,
         a.response_body as body
    from posthorn.attempts a
    join posthorn.deliveries d on d.id = a.delivery_id
    join posthorn.webhooks w on w.id = d.webhook_id`
