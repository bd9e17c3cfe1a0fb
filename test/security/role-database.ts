import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { withDatabase } from '../support/with-database.ts'

const SCRIPT = new URL('../../deploy/roles.sql', import.meta.url)

/** An empty database with the roles of deploy/roles.sql, under unique names. */
export interface RoleDatabase extends AsyncDisposable {
  readonly owner: string
  readonly service: string
  readonly dashboards: string
  readonly asAdmin: Database
  readonly asOwner: Database
  readonly asService: Database
  readonly asDashboards: Database
  /** Creates a role for a host application, without privileges. */
  connectAsHost(): Promise<{ host: string; asHost: Database }>
}

export async function createRoleDatabase(): Promise<RoleDatabase> {
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
  function connectAs(role: string, password: string): Database {
    const url = new URL(asAdmin.url)
    url.username = role
    url.password = password
    return stack.use(openDatabase(url.href))
  }
  const asOwner = connectAs(owner, 'change me')
  const asService = connectAs(service, 'change me too')
  const asDashboards = connectAs(dashboards, 'change me as well')
  const resources = stack.move()
  return {
    owner,
    service,
    dashboards,
    asAdmin,
    asOwner,
    asService,
    asDashboards,
    async connectAsHost() {
      await asAdmin.pool.query(`create role ${host} login password 'of the host'`)
      const url = new URL(asAdmin.url)
      url.username = host
      url.password = 'of the host'
      return { host, asHost: resources.use(openDatabase(url.href)) }
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}
