import { Logger, run } from 'graphile-worker'
import { expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { hostUrl } from '../support/host-url.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const COUNT = 40

test("another program's worker in the same schema, with a task named deliver, claims no deliveries and runs its own jobs", async () => {
  await using receiver = await startReceiver()
  await using posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
  const { pool, url } = posthorn.database
  const ran: unknown[] = []
  const foreign = await run({
    connectionString: hostUrl(url),
    concurrency: 20,
    pollInterval: 10,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { deliver: (payload) => void ran.push(payload) },
  })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => foreign.stop())

  const webhook = { url: receiver.url, enabled: true, event_subscriptions: [JOINED] }
  expect((await posthorn.rest('POST', '/webhooks', webhook)).status).toBe(201)
  for (let number = 0; number < COUNT; number++) {
    await pool.query('select * from posthorn.publish_event($1, $2, $3)', [
      posthorn.tenant.publicOrganizationId,
      JOINED,
      JSON.stringify({ number }),
    ])
    await pool.query(
      `select graphile_worker.add_job('deliver', json_build_object('number', $1::int))`,
      [number],
    )
  }

  await receiver.arrival(COUNT)
  await until(() => ran.length >= COUNT, 'the other program runs its own jobs')
  const numbers = Array.from({ length: COUNT }, (_, number) => number)
  const arrived = receiver.received.map(({ body }) => JSON.parse(body.toString()).data.number)
  expect(arrived.sort((a, b) => a - b)).toEqual(numbers)
  expect(
    ran.map((payload) => (payload as { number: number }).number).sort((a, b) => a - b),
  ).toEqual(numbers)
})
