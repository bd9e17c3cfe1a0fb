import { expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { MISBEHAVIOURS, type Misbehaviour } from './hostile-receivers.ts'
import { authority, openReceiver } from './sending.ts'

interface Opened {
  readonly receiver: Awaited<ReturnType<Misbehaviour['open']>>
}

interface AttemptRow {
  readonly url: string
  readonly state: string
  readonly attempts: number
  readonly status: number | null
  readonly code: string | null
  readonly error: string | null
  readonly body: Buffer | null
}

test('an attempt to a misbehaving receiver ends, reports what happened, and delays no other attempt', async () => {
  const posthorn = await startTestApp({
    environment: { POSTHORN_ATTEMPT_TIMEOUT: '3s', POSTHORN_RETRY_SCHEDULE: '' },
    trustedAuthorities: [authority.pem],
  })
  onTestFinished(() => posthorn[Symbol.asyncDispose]())
  const byUrl = new Map<string, Misbehaviour & Opened>()
  for (const misbehaviour of MISBEHAVIOURS) {
    const receiver = await misbehaviour.open()
    byUrl.set(`https://localhost:${receiver.port}/`, { ...misbehaviour, receiver })
  }
  const healthy = `https://localhost:${(await openReceiver()).port}/`
  for (const url of [...byUrl.keys(), healthy]) {
    const webhook = { url, event_subscriptions: [JOINED], enabled: true }
    expect((await posthorn.rest('POST', '/webhooks', webhook)).status).toBe(201)
  }
  const { services } = posthorn
  await services.publishEvents(posthorn.tenant.organizationId, [{ type: JOINED, data: {} }])

  let rows: AttemptRow[] = []
  await until(async () => {
    const result = await posthorn.database.pool.query<AttemptRow>(ATTEMPTS)
    rows = result.rows
    return rows.length > byUrl.size && rows.every(({ state }) => state !== 'pending')
  }, 'every delivery is finished')

  const good = rows.find(({ url }) => url === healthy)
  expect(good).toMatchObject({ status: 200, state: 'succeeded', attempts: 1 })
  for (const [url, { name, status, errorCode, error, receiver }] of byUrl) {
    const row = rows.find((candidate) => candidate.url === url)
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
