import type { Scope } from '../../src/auth/access/scope.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startInstallation } from '../support/installation.ts'

/** The seed of all inputs, which a test prints: `FUZZ_SEED` repeats them. */
export const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** A process with the API, and a key without a limit. */
export async function startFuzzedApi(scopes: readonly Scope[]) {
  console.info(`FUZZ_SEED=${SEED}`)
  // A request can come from any address.
  const environment = { POSTHORN_TRUSTED_PROXIES: '127.0.0.0/8' }
  const installation = await startInstallation(environment, ['start', '--role', 'api'])
  const { organizationId } = installation.tenant
  const key = { organizationId, scopes, requestsPerSecond: 1_000_000 }
  const { token } = await createApiKey(installation.database.prisma, key)
  return { ...installation, token }
}

let clients = 0

/** The header of a client address that has not been used before: an address with too many failures gets 429. */
export function fromNewClient(): Record<string, string> {
  clients++
  return { 'x-forwarded-for': `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}` }
}
