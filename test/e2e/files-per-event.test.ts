import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const MAX_FILES = 112

test('an event with one delivery runs through few files', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const receiver = await startReceiver()
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  const tenant = await createTenant(database.prisma)
  const environment = testEnvironment(database.url)
  const posthorn = fork(fileURLToPath(new URL('coverage-main.ts', import.meta.url)), {
    execArgv: [],
    env: {
      PATH: process.env['PATH'],
      ...environment,
      RECEIVER_AUTHORITY: receiver.authority,
    },
  })
  onTestFinished(() => void posthorn.kill())
  const ended = once(posthorn, 'exit').then(([code]) => {
    throw new Error(`Posthorn ended with ${code}.`)
  })
  ended.catch(() => {})
  const [url] = await Promise.race([once(posthorn, 'message'), ended])
  const call = async (path: string, body: object) => {
    const headers = {
      authorization: `Bearer ${tenant.token}`,
      'content-type': 'application/json',
    }
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(response.ok).toBe(true)
    return await response.json()
  }
  await call('/api/connect/v1/webhooks', {
    url: receiver.url,
    enabled: true,
    event_subscriptions: [JOINED],
  })

  async function publish(): Promise<void> {
    receiver.clear()
    const input = { type: JOINED, data: { attendee: 'Ada' } }
    const query =
      'mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }'
    expect(await call('/graphql', { query, variables: { input } })).toMatchObject({
      data: { publishEvent: { __typename: 'PublishEventSuccess' } },
    })
    await until(() => receiver.received.length === 1, 'the event is delivered')
    const pending = { where: { state: 'pending' as const } }
    await until(async () => (await database.prisma.delivery.count(pending)) === 0, 'it is recorded')
  }

  for (let i = 0; i < 3; i++) await publish()
  await filesOf(posthorn)
  // What runs now and then, such as a heartbeat, runs beside some of these events only.
  let files: string[] | undefined
  for (let i = 0; i < 6; i++) {
    await publish()
    const run = new Set(await filesOf(posthorn))
    files = [...(files ?? run)].filter((file) => run.has(file)).sort()
  }
  if (!files) throw new Error('No event was published.')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(MAX_FILES)
})

async function filesOf(posthorn: ChildProcess): Promise<string[]> {
  posthorn.send('take')
  const [files] = await once(posthorn, 'message')
  return files
}
