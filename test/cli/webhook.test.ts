import { expect, test } from 'vitest'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { createApiKey } from '../support/api-keys.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { printedJson, refusal, runCommand } from './run-command.ts'

const posthorn = await useTestApp()
const receiver = await useReceiver()
const { organizationId } = posthorn.tenant
const { token } = await createApiKey(posthorn.database.prisma, { organizationId, scopes: SCOPES })
const access = (key = token) => ({
  PORT: new URL(posthorn.app.url).port,
  POSTHORN_API_KEY: key,
  // A command that calls the API reads no database.
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
})
const run = (...args: string[]) => runCommand(args, access())

const json = (...args: string[]) => printedJson(args, access())

const publish = () => run('publish', JOINED, '{"attendee":"Ada"}')

test('a webhook is created, disabled, enabled and deleted, and its deliveries are listed and sent again', async () => {
  expect((await run('webhook', 'list')).stdout).toBe('There are no webhooks.\n')
  expect((await run('delivery', 'list')).stdout).toBe('There are no such deliveries.\n')
  const nobody = await publish()
  expect(nobody.stderr).toBe(`  No webhook subscribes to ${JOINED}.\n`)

  const created = await json('webhook', 'create', receiver.url, '--event', JOINED)
  const { id } = created
  const webhook = { id, url: receiver.url, subscriptions: [JOINED] }
  expect(created).toEqual({ ...webhook, enabled: true })
  expect(await json('webhook', 'list')).toEqual([created])

  expect((await publish()).stdout).toMatch(/^evt_\w+ {2}1 delivery\n$/)
  await receiver.arrival(1)
  const [{ id: delivery }] = await json('delivery', 'list', '--webhook', id, '--event', JOINED)
  const states = async () =>
    (await json('delivery', 'list')).map(({ state }: { state: string }) => state)
  await until(async () => (await states())[0] === 'succeeded', 'the delivery is recorded')
  expect((await run('delivery', 'list', '--state', 'succeeded')).stdout).toMatch(
    new RegExp(`\\n${delivery}  succeeded  1 .*  ${id}  ${JOINED}\\n$`),
  )
  expect(await json('delivery', 'redeliver', delivery)).toMatchObject([{ id: delivery }])
  await receiver.arrival(2)
  expect(await json('test', id, JOINED)).toMatchObject({ webhook: id, event_type: JOINED })
  expect((await receiver.arrival(3))?.headers['wh-test']).toBe('true')

  expect(await json('webhook', 'enable', id, '--undo')).toEqual({ ...webhook, enabled: false })
  const missed = await publish()
  expect(missed.stdout).toMatch(/ {2}0 deliveries\n$/)
  expect(missed.stderr).toMatch(`  ${id}  The webhook was disabled when the event was published.`)
  expect(await json('webhook', 'enable', id)).toEqual({ ...webhook, enabled: true })
  expect((await run('webhook', 'delete', id)).stdout).toBe(`${id} is deleted.\n`)
  expect(await json('webhook', 'list')).toEqual([])
})

test.each([
  [['webhook', 'create', 'http://example.com/', '--event', JOINED], /not HTTPS/],
  [['webhook', 'create', 'https://example.com/'], /--event/],
  [['webhook', 'delete', 'wh_01h455vb4pex5vsknk084sn02q'], /wh_01h455vb4pex5vsknk084sn02q/],
  [['delivery', 'list', '--state', 'lost'], /Allowed choices are queued/],
])('%j says what is wrong', async (args, message) => {
  expect(await refusal(args, access())).toMatch(message)
})

test('a key without the scopes is refused, and publishing with it stays silent about webhooks', async () => {
  const scopes = ['events:publish']
  const key = await createApiKey(posthorn.database.prisma, { organizationId, scopes })
  expect(await refusal(['webhook', 'list'], access(key.token))).toContain('webhooks:read')
  const published = await runCommand(['publish', JOINED, '{}'], access(key.token))
  expect(published).toMatchObject({ code: 0, stderr: '' })
})
