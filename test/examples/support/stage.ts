import { createServer, type IncomingMessage } from 'node:http'
import path from 'node:path'
import pg from 'pg'
import { type PreviewServer, preview } from 'vite'
import { createHost } from '../../../examples/host/host.ts'
import { startTcpProxy } from '../../faults/tcp-proxy.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { startTestApp } from '../../support/app.ts'
import { createTenant } from '../../support/factories.ts'
import { freePort } from '../../support/free-port.ts'
import { closeServer, listen } from '../../support/listen.ts'
import { startReceiver } from '../../support/receiver.ts'

export type Stage = Awaited<ReturnType<typeof setStage>>

/** The built page, the host and Posthorn, each on an origin of its own, and a receiver. */
export async function setStage() {
  const cleanup = new AsyncDisposableStack()
  const hostPort = await freePort()
  const hostUrl = `http://127.0.0.1:${hostPort}`
  const site = await servePage(hostUrl)
  cleanup.defer(() => site.close())
  const page = site.resolvedUrls?.local[0] as string
  const origin = new URL(page).origin

  const receiver = cleanup.use(await startReceiver())
  const posthorn = cleanup.use(
    await startTestApp({
      trustedAuthorities: [receiver.authority],
      environment: {
        POSTHORN_CORS_ORIGINS: origin,
        POSTHORN_PORTAL_ORIGINS: hostUrl,
        POSTHORN_RETRY_SCHEDULE: '1h',
      },
    }),
  )
  const proxy = cleanup.use(await startTcpProxy(posthorn.app.url))
  const url = new URL(proxy.url).origin

  const { prisma } = posthorn.database
  const { organizationId, publicOrganizationId } = posthorn.tenant
  const operator = await createApiKey(prisma, { organizationId, scopes: ['admin'] })
  const stranger = await createTenant(prisma)
  const users: Record<string, string | null> = {
    stranger: stranger.publicOrganizationId,
    unknown: 'org_00000000000000000000000000',
    nobody: null,
  }
  // The cookie names the user, who is by default one of the organization.
  const organizationOf = ({ headers }: IncomingMessage) => {
    const organization = users[headers.cookie?.replace('user=', '') ?? '']
    return organization === undefined ? publicOrganizationId : organization
  }
  const database = new pg.Pool({ connectionString: posthorn.database.url })
  cleanup.defer(() => database.end())
  await database.query('create table attendees (id serial primary key, name text)')
  const host = createServer(createHost({ url, key: operator.token, database, organizationOf }))
  await listen(host, { port: hostPort })
  cleanup.defer(() => closeServer(host))

  return {
    ...{ posthorn, receiver, database, hostUrl },
    /** The page calls the origins: its own, and that of the proxy in front of Posthorn. */
    ...{ page, origins: [origin, url], proxy },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  }
}

/** Serves the built files as `vite preview` does, with the example's own configuration. */
async function servePage(host: string): Promise<PreviewServer> {
  const root = path.join(import.meta.dirname, '../../../examples/react')
  const proxy = { '/session': host }
  return await preview({ root, logLevel: 'silent', preview: { port: await freePort(), proxy } })
}
