import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { publicId } from '../../../src/db/ids.ts'
import { deletePastRules } from '../../../src/deliveries/retention.ts'
import { createEventType, updateEventType } from '../../../src/event-types/edit-event-type.ts'
import { saveOrganization } from '../../../src/organizations/organization.ts'
import { useTestDatabase } from '../../support/database.ts'
import { DAY_MS, openPartitionRows, usePartitionRows } from '../../support/partition-rows.ts'

const database = await useTestDatabase()
const rows = usePartitionRows(database)

beforeAll(async () => {
  await createEventType(database.prisma, { name: 'x', description: 'An X.' }, SYSTEM)
})
beforeEach(async () => {
  await database.pool.query(
    'truncate posthorn.events, posthorn.event_keys, posthorn.deliveries, posthorn.attempts',
  )
  await database.pool.query('update posthorn.event_types set retention_days = null')
})

const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const setOrganization = (retentionDays: number | null) =>
  saveOrganization(
    database.prisma,
    { id: publicId('organization', rows.organizationId) },
    { retentionDays },
    SYSTEM,
  )
const setEventType = (retentionDays: number | null) =>
  updateEventType(database.prisma, 'x', { retentionDays }, SYSTEM)
const deletePast = () => deletePastRules(database.pool)

async function store(at: Date, state = 'succeeded') {
  const event = await rows.event(at)
  const delivery = await rows.delivery(at, event, state)
  await rows.attempt(delivery, at)
  return { event, delivery }
}

const ALL = { events: 1, event_keys: 0, deliveries: 1, attempts: 1 }
const NONE = { events: 0, event_keys: 0, deliveries: 0, attempts: 0 }

describe.each([
  ['of an organization', setOrganization],
  ['of an event type', setEventType],
])('the retention %s', (_of, setDays) => {
  test('is refused above that of the installation, with the remedy', async () => {
    await setDays(30)
    const message =
      'retentionDays must be at most 30, not 31: POSTHORN_RETENTION keeps everything for 30 days. Give fewer days, or ask the operator to raise POSTHORN_RETENTION.'
    await expect(setDays(31)).rejects.toMatchObject({ message })
  })

  test('deletes what is older, with deliveries and attempts, and nothing younger', async () => {
    await store(ago(3.1))
    await setDays(4)
    expect(await deletePast()).toBe(0)
    expect(await rows.counts()).toEqual(ALL)
    await setDays(3)
    expect(await deletePast()).toBe(2)
    expect(await rows.counts()).toEqual(NONE)
  })

  test('keeps what a pending delivery needs, until it has ended', async () => {
    const { delivery } = await store(ago(5), 'pending')
    await setDays(2)
    expect(await deletePast()).toBe(0)
    expect(await rows.counts()).toEqual(ALL)
    await database.pool.query(
      `update posthorn.deliveries set state = 'canceled', finished_at = now() where id = $1`,
      [delivery],
    )
    expect(await deletePast()).toBe(2)
    expect(await rows.counts()).toEqual(NONE)
  })

  test('goes through many pages, past pending deliveries', async () => {
    await setDays(1)
    await rows.many(500, ago(2), { pending: 250 })
    await deletePast()
    expect(await rows.counts()).toMatchObject({ events: 250, deliveries: 250 })
  })

  test('leaves other organizations alone', async () => {
    await store(ago(3))
    const own = { ...rows }
    Object.assign(rows, await openPartitionRows(database))
    await setOrganization(1)
    await store(ago(3))
    await deletePast()
    expect(await own.counts()).toEqual(ALL)
  })
})

test('the search keys of a deleted event are deleted, and those of others stay', async () => {
  await database.pool.query(
    `update posthorn.event_types set search_keys = '{$.id}' where name = 'x'`,
  )
  const { event } = await store(ago(3))
  await database.pool.query(`update posthorn.events set data = '{"id":"7"}' where id = $1`, [event])
  const young = await rows.event(ago(1))
  const add = `insert into posthorn.event_keys (organization_id, path, value, event_id) values ($1, '$.id', '7', $2)`
  await database.pool.query(add, [rows.organizationId, event])
  await database.pool.query(add, [rows.organizationId, young])
  await setOrganization(2)
  await deletePast()
  expect(await rows.counts()).toMatchObject({ events: 1, event_keys: 1 })
})

test('the shorter of two rules applies', async () => {
  await store(ago(3))
  await setOrganization(10)
  await setEventType(2)
  await deletePast()
  expect(await rows.counts()).toEqual(NONE)
})
