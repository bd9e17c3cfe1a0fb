import type { Bench } from './bench.ts'
import { DATA } from './fill.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { measureRawUndici } from './raw-undici.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const CONNECTIONS = 50

/** S: single events published over GraphQL and delivered to one webhook, by one process with all roles. */
export async function reportSingles(bench: Bench): Promise<void> {
  const raw = [await measureRawUndici(bench)]
  const singles = [await measureSingles(bench)]
  raw.push(await measureRawUndici(bench))
  singles.push(await measureSingles(bench))
  raw.push(await measureRawUndici(bench))
  bench.report({
    scenario: 'S',
    name: `single publishes on ${CONNECTIONS} connections, delivered`,
    value: mean(singles),
    unit: '/s',
    bound: { kind: 'at least', limit: 0.14, of: { name: 'A', value: mean(raw) } },
    also: { 'round 1': singles[0] as number, 'round 2': singles[1] as number, A: mean(raw) },
  })
}

/** Measures until the last event has arrived, so that queued deliveries count. */
async function measureSingles(bench: Bench): Promise<number> {
  const { receiver, sizes } = bench
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const [type = ''] = await addWebhooks(services, tenant, receiver.url, 'ok')
  await database.settle()
  await using server = await startPosthornServer(bench, database.url, 'all')
  const publish = async (warmUpMs: number, measureMs: number) => {
    await using publisher = startScript('publisher-main.ts')
    return await publisher.call<{ accepted: number }>('publishBackToBack', {
      ...{ url: server.url, token: tenant.token, type, data: DATA, batch: null },
      ...{ connections: CONNECTIONS, warmUpMs, measureMs },
    })
  }
  await receiver.reset()
  const warmUp = await publish(0, sizes.publishWarmUpMs)
  const startedAt = await receiver.waitUntilReceived('ok', warmUp.accepted)
  const { accepted } = await publish(0, sizes.publishMs)
  const endedAt = await receiver.waitUntilReceived('ok', warmUp.accepted + accepted)
  return accepted / ((endedAt - startedAt) / 1_000)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
