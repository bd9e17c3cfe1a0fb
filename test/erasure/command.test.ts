import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { tablesWith } from './search-everywhere.ts'

const TYPE = 'customer.updated'
const PATH = '$.email'

let posthorn: TestApp
let email: string
let id: string

beforeAll(async () => {
  posthorn = await startTestApp({ role: 'api' })
  const type = { name: TYPE, description: 'A customer changed', searchKeys: [PATH] }
  await createEventType(posthorn.database.prisma, type, SYSTEM)
})
beforeEach(async () => {
  email = `ada-${randomUUID()}@example.org`
  const events = [{ type: TYPE, data: { email } }]
  const published = await posthorn.services.publishEvents(posthorn.tenant.organizationId, events)
  id = published[0]?.id ?? ''
})
afterAll(() => posthorn[Symbol.asyncDispose]())

async function run(args: readonly string[], input = '') {
  const environment = testEnvironment(posthorn.database.url)
  return await runPosthorn(args, { environment, input })
}

const everywhere = () => tablesWith(posthorn.database.pool, email)

describe('posthorn erase', () => {
  test('counts, and then erases without a worker', async () => {
    const selected = ['erase', '--key', PATH, '--value', '-', '--json']
    const counted = await run([...selected, '--dry-run'], email)
    expect(JSON.parse(counted.stdout)).toEqual({ erasure: null, count: 1, unsent: 0, ended: false })
    expect(await everywhere()).not.toEqual([])
    const erased = await run([...selected, '--unsent', 'cancel'], email)
    expect(erased).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(erased.stdout)).toMatchObject({ count: 1, ended: true })
    expect(await everywhere()).toEqual([])
  })

  test('erases by ids', async () => {
    const { code, stdout } = await run(['erase', '--event', id, '--unsent', 'send-first'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^era_\w+: erased 1 event\.\n$/)])
    expect(await everywhere()).toEqual([])
  })

  test.each([
    [['--key', PATH], '--key and --value belong together. Give both, or neither.'],
    [['--event', 'evt_x'], 'eventIds[0] must be the id of an event: evt_….'],
    [[], 'Give exactly one of the two.'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await run(['erase', '--unsent', 'cancel', ...args])
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  test('asks what becomes of deliveries that are not sent yet', async () => {
    const { code, stderr } = await run(['erase', '--event', id])
    expect([code, stderr]).toEqual([1, expect.stringContaining('--unsent cancel')])
    expect(await everywhere()).not.toEqual([])
  })
})
