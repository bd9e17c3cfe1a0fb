import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { migrate } from '../../../src/migrate/migrate.ts'
import { createRoleDatabase, type RoleDatabase } from '../../security/role-database.ts'
import { createTenant } from '../../support/factories.ts'
import { documentedGrants } from './support.ts'

/** The host's tables belong to one role, and another one writes: neither may read the tables of Posthorn. */
const writer = `posthorn_writer_${randomBytes(4).toString('hex')}`

/** insufficient_privilege */
const DENIED = { code: '42501' }

let roles: RoleDatabase
let asHost: Database
let asWriter: Database
let organization: string

beforeAll(async () => {
  roles = await createRoleDatabase()
  await migrate(roles.asOwner.pool)
  organization = (await createTenant(roles.asOwner.prisma)).publicOrganizationId
  for (const operation of ['created', 'updated', 'deleted']) {
    const data = { name: `order.${operation}`, description: 'A change.' }
    await roles.asOwner.prisma.eventType.create({ data })
  }
  const connected = await roles.connectAsHost()
  asHost = connected.asHost
  await roles.asAdmin.pool.query(`
    create schema shop authorization ${connected.host};
    create role ${writer} login password 'of the writer'`)
  const url = new URL(roles.asAdmin.url)
  url.username = writer
  url.password = 'of the writer'
  asWriter = openDatabase(url.href)
  await asHost.pool.query(`
    create table shop.orders (id int primary key, org text, status text);
    grant usage on schema shop to ${writer}; grant insert, update, select on shop.orders to ${writer}`)
  await expect(install()).rejects.toMatchObject(DENIED)
  await roles.asOwner.pool.query(await documentedGrants(connected.host))
})
afterAll(async () => {
  await asWriter[Symbol.asyncDispose]()
  await roles.asAdmin.pool.query(`drop owned by ${writer}; drop role ${writer}`)
  await roles[Symbol.asyncDispose]()
})

const install = () =>
  asHost.pool.query(`select posthorn.publish_changes('shop.orders', 'org', '{id,status}', 'order')`)

test('the owner of a table installs with the documented grants, and a role without any rights on Posthorn publishes', async () => {
  await install()
  await asWriter.pool.query(`insert into shop.orders values (1, $1, 'open')`, [organization])
  await asWriter.pool.query(`update shop.orders set status = 'paid'`)
  const events = await roles.asOwner.prisma.event.findMany({ orderBy: { id: 'asc' } })
  expect(events.map(({ type, data, previous }) => ({ type, data, previous }))).toEqual([
    { type: 'order.created', data: '{"id":1,"status":"open"}', previous: null },
    {
      type: 'order.updated',
      data: '{"id":1,"status":"paid"}',
      previous: '{"id":1,"status":"open"}',
    },
  ])
  const { rows } = await asHost.pool.query('select * from posthorn.published_tables')
  expect(rows).toMatchObject([{ table_name: 'shop.orders', problem: null }])
})

test('a role can neither publish the changes of a table of others, nor end it, nor call the function of the triggers', async () => {
  await install()
  await roles.asAdmin.pool.query(`
    create table public.of_others (id int primary key, org text);
    grant select, insert on public.of_others to public`)
  await expect(
    asHost.pool.query(
      `select posthorn.publish_changes('public.of_others', 'org', '{id}', 'order')`,
    ),
  ).rejects.toMatchObject(DENIED)
  for (const statement of [
    `select posthorn.stop_publishing_changes('shop.orders')`,
    `create trigger own after insert on shop.orders for each statement execute function posthorn.publish_row_changes('{}')`,
  ]) {
    await expect(asWriter.pool.query(statement)).rejects.toMatchObject(DENIED)
  }
  await expect(asHost.pool.query('select * from posthorn.events')).rejects.toMatchObject(DENIED)
})
