import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Database } from '../../src/db/client.ts'
import { proxiedUrl, startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts'
import { testEnvironment } from './app.ts'
import { createTestDatabase } from './database.ts'
import { createTenant } from './factories.ts'
import { logLine } from './log-lines.ts'
import { type PosthornProcess, startPosthorn } from './posthorn-process.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** A process of Posthorn that logs from `info` on, its database, an organization, and a receiver that it trusts. */
export interface Installation extends AsyncDisposable {
  readonly database: Database
  /** Between the process and Postgres. */
  readonly proxy: TcpProxy
  readonly receiver: Receiver
  readonly tenant: Awaited<ReturnType<typeof createTenant>>
  readonly posthorn: PosthornProcess
  readonly url: string
  /** A call with the key of the organization. */
  call(method: string, route: string, body?: object | string, token?: string): Promise<Response>
}

export async function startInstallation(
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = ['start'],
): Promise<Installation> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn installation '))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const authority = path.join(directory, 'ca.pem')
  const receiver = stack.use(await startReceiver())
  await writeFile(authority, receiver.authority)
  const database = stack.use(await createTestDatabase())
  const proxy = stack.use(await startTcpProxy(Number(new URL(database.url).port)))
  const tenant = await createTenant(database.prisma)
  const posthorn = stack.use(
    startPosthorn(args, {
      environment: {
        ...testEnvironment(proxiedUrl(database.url, proxy)),
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
    call: (method, route, body, token = tenant.token) =>
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
