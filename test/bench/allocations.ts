import type { Bench } from './bench.ts'
import { startLoad } from './load.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** The bytes that the threads of a warm process allocate, in a process of its own, as counting them takes time. */
export async function reportAllocations(bench: Bench): Promise<void> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'stamp')
  await database.settle()
  await using server = await startPosthornServer(bench, database.url, 'all', {
    countsAllocations: true,
  })
  await using load = startLoad(bench, server, { token: tenant.token, type })
  const { count, warmUp } = bench.sizes

  async function measure(batch: number | null) {
    await load.deliver(warmUp, batch)
    await server.takeAllocated()
    await load.deliver(count, batch)
    const { api, worker } = await server.takeAllocated()
    return { api: api / count, worker: worker / count }
  }

  const singly = await measure(null)
  const batches = await measure(100)
  bench.report({
    ...{ scenario: 'M', name: 'allocated by the API per published event' },
    ...{ value: singly.api, unit: 'B', also: { 'in batches of 100': batches.api } },
  })
  bench.report({
    ...{ scenario: 'M', name: 'allocated by the worker per delivery' },
    ...{ value: singly.worker, unit: 'B', also: { 'in batches of 100': batches.worker } },
  })
}
