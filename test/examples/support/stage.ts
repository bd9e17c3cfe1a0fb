import { createServer, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { type PreviewServer, preview } from 'vite'
import { createHost } from '../../../examples/react/host.ts'
import { startTcpProxy } from '../../faults/tcp-proxy.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { startTestApp } from '../../support/app.ts'
import { createTenant } from '../../support/factories.ts'
import { freePort } from '../../support/free-port.ts'
import { closeServer, listen } from '../../support/listen.ts'
import { startReceiver } from '../../support/receiver.ts'

export type Stage = Awaited<ReturnType<typeof setStage>>

/** The built example, its host and Posthorn, each on an origin of its own, and a receiver. */
export async function setStage() {
  const cleanup = new AsyncDisposableStack()
  const hostPort = await freePort()
  const site = await servePage(`http://127.0.0.1:${hostPort}`)
  cleanup.defer(() => site.close())
  const page = site.resolvedUrls?.local[0] as string
  const origin = new URL(page).origin

  const receiver = cleanup.use(await startReceiver())
  const posthorn = cleanup.use(
    await startTestApp({
      trustedAuthorities: [receiver.authority],
      environment: { POSTHORN_CORS_ORIGINS: origin, POSTHORN_RETRY_SCHEDULE: '1h' },
    }),
  )
  const proxy = cleanup.use(await startTcpProxy(Number(new URL(posthorn.app.url).port)))
  const url = `http://127.0.0.1:${proxy.port}`

  const { prisma } = posthorn.database
  const { organizationId, publicOrganizationId } = posthorn.tenant
  const operator = await createApiKey(prisma, { organizationId, scopes: ['admin'] })
  const stranger = await createTenant(prisma)
  // A page with the cookie `user=stranger` is signed in as the user of another organization.
  const organizationOf = ({ headers }: IncomingMessage) =>
    headers.cookie?.includes('user=stranger') ? stranger.publicOrganizationId : publicOrganizationId
  const host = createServer(createHost(url, operator.token, organizationOf))
  await listen(host, { port: hostPort })
  cleanup.defer(() => closeServer(host))

  return {
    posthorn,
    receiver,
    /** Between the page and Posthorn. */
    proxy,
    /** The address of the page, and all origins that it calls. */
    ...{ page, origins: [origin, url] },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  }
}

/** Serves the built files as `vite preview` does, with the example's own configuration. */
async function servePage(host: string): Promise<PreviewServer> {
  const root = path.join(import.meta.dirname, '../../../examples/react')
  const proxy = { '/session': host }
  return await preview({ root, logLevel: 'silent', preview: { port: await freePort(), proxy } })
}
