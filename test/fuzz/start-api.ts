import type { Scope } from '../../src/access/scope.ts'
import { createApiKey } from '../support/api-keys.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

/** The seed of all inputs, which a test prints: `FUZZ_SEED` repeats them. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** A process with the API, and a key without a limit. */
export interface FuzzedApi extends AsyncDisposable {
  readonly process: PosthornProcess
  readonly url: string
  readonly token: string
}

export async function startFuzzedApi(scopes: readonly Scope[]): Promise<FuzzedApi> {
  console.info(`FUZZ_SEED=${SEED}`)
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await createTestDatabase())
  const { organizationId } = await createTenant(database.prisma)
  const key = { organizationId, scopes, requestsPerSecond: 1_000_000 }
  const { token } = await createApiKey(database.prisma, key)
  const environment = {
    ...testEnvironment(database.url),
    // A request can come from any address.
    POSTHORN_TRUSTED_PROXIES: '127.0.0.0/8',
    POSTHORN_LOG_LEVEL: 'info',
  }
  const posthorn = stack.use(startPosthorn(['start', '--role', 'api'], { environment }))
  const find = () => /http:\/\/127\.0\.0\.1:\d+/.exec(posthorn.stdout + posthorn.stderr)?.[0]
  await until(find, 'the server listens')
  const resources = stack.move()
  return {
    process: posthorn,
    url: find() as string,
    token,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

let clients = 0

/** The header of a client address that has not been used before: an address with too many failures gets 429. */
export function fromNewClient(): Record<string, string> {
  clients++
  return { 'x-forwarded-for': `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}` }
}
