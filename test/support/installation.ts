import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startTcpProxy } from '../faults/tcp-proxy.ts'
import { testEnvironment } from './app.ts'
import { createTestDatabase } from './database.ts'
import { createTenant } from './factories.ts'
import { logLine } from './log-lines.ts'
import { startPosthorn } from './posthorn-process.ts'
import { startReceiver } from './receiver.ts'

/**
 * A process of Posthorn that logs from `info` on, its database with a proxy in between, an organization, and a receiver that
 * it trusts.
 */
export async function startInstallation(
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = ['start'],
) {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'posthorn installation ')))
  const authority = path.join(folder.path, 'ca.pem')
  const receiver = stack.use(await startReceiver())
  await writeFile(authority, receiver.authority)
  const database = stack.use(await createTestDatabase())
  const proxy = stack.use(await startTcpProxy(database.url))
  const tenant = await createTenant(database.prisma)
  const posthorn = stack.use(
    startPosthorn(args, {
      environment: {
        ...testEnvironment(proxy.url),
        POSTHORN_LOG_LEVEL: 'info',
        POSTHORN_EGRESS_CA_FILE: authority,
        ...environment,
      },
    }),
  )
  const { url } = await logLine(posthorn, { msg: 'ready' })
  const started = stack.move()
  return {
    ...{ database, proxy, receiver, tenant, posthorn, url },
    /** A call with the key of the organization, or another one. */
    call: (method: string, route: string, body?: object | string, token = tenant.token) =>
      fetch(url + route, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        // For a thread that stands still.
        signal: AbortSignal.timeout(120_000),
      }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}
