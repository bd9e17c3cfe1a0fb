import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { SCOPES } from '../../src/access/scope.ts'
import { databaseInstallation } from '../../src/cli/installation/database-installation.ts'
import type {
  EventToPublish,
  Installation,
  NewKey,
} from '../../src/cli/installation/installation.ts'
import { serverInstallation } from '../../src/cli/installation/server-installation.ts'
import { publicId } from '../../src/db/ids.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { createOrganization } from '../../src/organizations/organization.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

/** What commands do through a server and in its database, with the same results and the same errors. */
let posthorn: TestApp
let throughServer: Installation
let inDatabase: Installation
/** An organization that the server's own key does not belong to. */
let other: string

beforeAll(async () => {
  posthorn = await startTestApp()
  const { prisma } = posthorn.database
  const { organizationId } = posthorn.tenant
  const { token } = await createApiKey(prisma, { organizationId, scopes: SCOPES })
  await createEventType(prisma, { name: 'anything', description: 'Any JSON.' }, SYSTEM)
  const autumn = await createOrganization(prisma, { name: 'Autumn Fair' }, SYSTEM)
  other = publicId('organization', autumn.id)
  throughServer = serverInstallation({ url: posthorn.app.url, key: token })
  inDatabase = databaseInstallation(posthorn.services)
})
afterAll(() => posthorn?.[Symbol.asyncDispose]())

const KEY: NewKey = {
  scopes: ['webhooks:read'],
  name: null,
  expiresAt: null,
  requestsPerSecond: null,
  eventsPerSecond: null,
  deliveriesPerSecond: null,
}
const EVENT: EventToPublish = {
  type: 'anything',
  dataText: '{"n":1}',
  idempotencyKey: null,
  occurredAt: null,
}

const organization = (name: string, metadata = {}) => ({ name, uid: null, metadata })

/** A key of the other organization. */
const createKey = (key: Partial<NewKey>) => (one: Installation) =>
  one.createKey(other, { ...KEY, ...key })
/** An event of the other organization. */
const publish = (event: Partial<EventToPublish>) => (one: Installation) =>
  one.publish(other, { ...EVENT, ...event })

test.each<[string, (one: Installation) => Promise<unknown>]>([
  [
    'an organization',
    (one) => one.createOrganization(organization('Winter Fair', { season: 'winter', a: '1' })),
  ],
  ['the organizations', (one) => one.listOrganizations()],
  ['a key', createKey({ scopes: ['admin'] })],
  [
    'a key with all options',
    createKey({
      scopes: ['webhooks:read', 'webhooks:write'],
      name: 'Partner',
      expiresAt: new Date(Date.now() + 90 * 86_400_000),
      requestsPerSecond: 7,
      eventsPerSecond: 8,
      deliveriesPerSecond: 9,
    }),
  ],
  ['an event', publish({})],
  ['null', publish({ dataText: 'null' })],
  ['an event with previous data', publish({ previousText: '{"n": 1.0}' })],
  ['an event of a time', publish({ occurredAt: new Date('2026-01-31T11:00:00Z') })],
  ['150 levels', publish({ dataText: '['.repeat(150) + ']'.repeat(150) })],
])('%s', async (_what, use) => {
  const served = await use(throughServer)
  expect(withoutIds(await use(inDatabase))).toEqual(withoutIds(served))
})

test('the keys of all organizations and of one, the same ids and times', async () => {
  const listed = await throughServer.listKeys(undefined)
  expect(new Set(listed.map(({ organization }) => organization.id)).size).toBeGreaterThan(1)
  expect(await inDatabase.listKeys(undefined)).toEqual(listed)
  expect(await inDatabase.listKeys(other)).toEqual(await throughServer.listKeys(other))
})

test('an organization is named by its uid instead of its id', async () => {
  const created = await throughServer.createOrganization({
    ...organization('Named'),
    uid: 'named fair',
  })
  for (const one of [throughServer, inDatabase]) {
    const { id } = await one.createKey('named fair', KEY)
    expect(await one.listKeys('named fair')).toContainEqual(
      expect.objectContaining({ id, organization: { id: created.id } }),
    )
    await expect(
      one.createOrganization({ ...organization('Again'), uid: 'named fair' }),
    ).rejects.toThrow(/uid is "named fair", which the organization org_\w+ has/)
    await expect(one.createKey('Named Fair', KEY)).rejects.toThrow(
      'There is no organization "Named Fair"',
    )
  }
})

test.each<[string, RegExp, (one: Installation) => Promise<unknown>]>([
  [
    'an organization without a name',
    /^name must not be empty\.$/,
    (one) => one.createOrganization(organization(' ')),
  ],
  [
    'an organization with a long name',
    /at most 200 characters/,
    (one) => one.createOrganization(organization('x'.repeat(201))),
  ],
  [
    'a key of several organizations',
    /^There are \d+ organizations\. Choose one:\n {2}--organization org_/,
    (one) => one.createKey(undefined, KEY),
  ],
  [
    'a key of no organization',
    /^There is no organization "org_x"\.$/,
    (one) => one.createKey('org_x', KEY),
  ],
  [
    'a key with an unknown scope',
    /Did you mean "webhooks:read"/,
    createKey({ scopes: ['webhook:read'] }),
  ],
  [
    'a key that has expired',
    /expiresAt must be in the future/,
    createKey({ expiresAt: new Date() }),
  ],
  [
    'a key without a limit',
    /requestsPerSecond must be at least 1/,
    createKey({ requestsPerSecond: 0 }),
  ],
  ['a key with a long name', /at most 200 characters/, createKey({ name: 'x'.repeat(201) })],
  [
    'the keys of no organization',
    /There is no organization "org_x"/,
    (one) => one.listKeys('org_x'),
  ],
  [
    'the revocation of no key',
    /^There is no API key "key_0{26}"\.$/,
    (one) => one.revokeKey('key_00000000000000000000000000'),
  ],
  [
    'the revocation of nonsense',
    /^There is no API key "nonsense"\.$/,
    (one) => one.revokeKey('nonsense'),
  ],
  [
    '300 KiB with the previous data',
    /previous and data together must have at most 256 KiB/,
    publish({ previousText: JSON.stringify({ n: 'x'.repeat(262_140) }) }),
  ],
  ['300 KiB', /at most 256 KiB/, publish({ dataText: JSON.stringify('"'.repeat(150 * 1024)) })],
  [
    'an unknown type',
    /Did you mean "event_attendee\.joined_event"/,
    publish({ type: 'event_attendee.joined' }),
  ],
  [
    'an event with a long key',
    /idempotencyKey must have 1 to 255/,
    publish({ idempotencyKey: 'x'.repeat(256) }),
  ],
  [
    'an event of several organizations',
    /^There are \d+ organizations/,
    (one) => one.publish(undefined, EVENT),
  ],
  [
    'an event of no organization',
    /^There is no organization "org_x"\.$/,
    (one) => one.publish('org_x', EVENT),
  ],
])('%s is refused', async (_what, message, use) => {
  const served = await errorOf(use(throughServer))
  expect(served).toMatch(message)
  expect(await errorOf(use(inDatabase))).toBe(served)
})

test('a revoked key', async () => {
  const [first, second] = [await createKey({})(inDatabase), await createKey({})(inDatabase)]
  const served = await throughServer.revokeKey(first.id)
  expect(withoutIds(await inDatabase.revokeKey(second.id))).toEqual(withoutIds(served))
  // Again changes nothing, in both ways.
  expect(await throughServer.revokeKey(first.id)).toEqual(served)
  expect(await inDatabase.revokeKey(first.id)).toEqual(served)
})

test('an idempotency key that the other way used', async () => {
  const event = { dataText: '{"n": 1.0}', idempotencyKey: 'k' }
  const first = await publish(event)(throughServer)
  expect(first).toMatchObject({ duplicate: false })
  for (const one of [inDatabase, throughServer]) {
    const again = { id: first.id, deliveryCount: 0, duplicate: true }
    expect(await publish(event)(one)).toMatchObject(again)
    const conflicting = publish({ ...event, dataText: '{"n": 1}' })(one)
    expect(await errorOf(conflicting)).toMatch(/used for another event/)
  }
})

async function errorOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    (value) => `no error, but ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )
}

/** Ids, tokens and times differ between two calls. */
function withoutIds(result: unknown): unknown {
  const text = JSON.stringify(result)
    .replaceAll(/(evt|key|org)_[0-9a-z]{26}/g, '$1_')
    .replaceAll(/phk_\w{49}/g, 'phk_')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
  return JSON.parse(text)
}
