import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { withDatabase } from '../support/with-database.ts'

const SCRIPT = new URL('../../deploy/roles.sql', import.meta.url)

export type RoleDatabase = Awaited<ReturnType<typeof createRoleDatabase>>

/** An empty database with the roles of deploy/roles.sql, under unique names. */
export async function createRoleDatabase() {
  const suffix = randomBytes(4).toString('hex')
  const name = `posthorn_roles_${suffix}`
  const [owner, service, dashboards, host] = ['owner', 'service', 'dashboards', 'host'].map(
    (role) => `posthorn_${role}_${suffix}`,
  ) as [string, string, string, string]
  await using stack = new AsyncDisposableStack()
  const server = stack.use(openDatabase(inject('postgresUrl'), { maxConnections: 1 }))
  await server.pool.query(`create database ${name}`)
  stack.defer(async () => {
    await server.pool.query(`drop database ${name} with (force)`)
    await server.pool.query(`drop role if exists ${owner}, ${service}, ${dashboards}, ${host}`)
  })

  const asAdmin = stack.use(openDatabase(withDatabase(inject('postgresUrl'), name)))
  const script = await readFile(SCRIPT, 'utf8')
  await asAdmin.pool.query(
    script.replaceAll(/\bposthorn_(owner|service|dashboards)\b/g, `$&_${suffix}`),
  )
  const resources = stack.move()
  function connectAs(username: string, password: string): Database {
    const url = Object.assign(new URL(asAdmin.url), { username, password })
    return resources.use(openDatabase(url.href))
  }
  return {
    ...{ owner, service, dashboards, asAdmin },
    asOwner: connectAs(owner, 'change me'),
    asService: connectAs(service, 'change me too'),
    asDashboards: connectAs(dashboards, 'change me as well'),
    /** Creates a role for a host application, without privileges. */
    async connectAsHost() {
      await asAdmin.pool.query(`create role ${host} login password 'of the host'`)
      return { host, asHost: connectAs(host, 'of the host') }
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}
