import type { Bench } from './bench.ts'
import { DATA } from './fill.ts'
import { startScript } from './script-process.ts'

/** A: the upper limit of one process: signed POST requests per second, with nothing recorded. */
export async function measureRawUndici({ receiver, sizes }: Bench): Promise<number> {
  await using sender = startScript('raw-undici-main.ts')
  return await sender.call<number>('send', {
    url: `${receiver.url}/ok/1`,
    authority: receiver.authority,
    body: JSON.stringify({
      id: 'evt_01kf0000000000000000000000',
      type: 'bench.ok_1',
      timestamp: new Date().toISOString(),
      data: DATA,
    }),
    count: sizes.count,
    warmUp: sizes.warmUp,
    concurrency: 200,
  })
}

export async function reportRawUndici(bench: Bench): Promise<void> {
  const value = await measureRawUndici(bench)
  bench.report({ scenario: 'A', name: 'raw signed POSTs with undici', value, unit: '/s' })
}
