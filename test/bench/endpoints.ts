import type { Bench } from './bench.ts'
import { measureOneWebhook, toLatency } from './latency.ts'

const PER_SECOND = 500

/** W: single events published at a steady rate to one webhook whose endpoint is slow. */
export async function reportEndpoints(bench: Bench): Promise<void> {
  for (const behaviour of ['slow50', 'slow200'] as const) {
    const latency = toLatency(await measureOneWebhook(bench, PER_SECOND, { behaviour }))
    const name = `${PER_SECOND}/s to an endpoint that takes ${behaviour.slice('slow'.length)} ms`
    const also = { max: latency.max, missing: latency.missing }
    bench.report({
      ...{ scenario: 'W', name: `${name}, p50`, value: latency.p50, unit: 'ms', also },
      bound: { kind: 'at most', limit: 4 },
    })
    bench.report({
      ...{ scenario: 'W', name: `${name}, p99`, value: latency.p99, unit: 'ms' },
      bound: { kind: 'at most', limit: 20 },
    })
  }
}
