import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { startTestApp } from '../support/app.ts'
import { startReceiver } from '../support/receiver.ts'
import { useFolder } from '../support/use-folder.ts'
import { useResource } from '../support/use-resource.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Posthorn behind a proxy to a Postgres of its own, with a webhook at a receiver. `prepare` comes before the proxy. */
export async function useProxiedApp(prepare?: (postgres: PostgresServer) => Promise<void>) {
  const folder = await useFolder('proxied')
  const stack = await useResource(Promise.resolve(new AsyncDisposableStack()))
  const postgres = stack.use(await startPostgresServer(folder))
  await prepare?.(postgres)
  const proxy = stack.use(await startTcpProxy(postgres.url))
  const database = stack.use(openDatabase(proxy.url))
  await migrate(database.pool)
  const receiver = stack.use(await startReceiver())
  const app = stack.use(await startTestApp({ database, trustedAuthorities: [receiver.authority] }))
  await createWebhook(app, receiver.url)
  return { postgres, proxy, receiver, app }
}
