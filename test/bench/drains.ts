import { type Bench, oncePerBench } from './bench.ts'
import { type Drain, measureDrain } from './drain.ts'
import { measureRawUndici, sendRaw } from './raw-undici.ts'

/** The short drain, which the others are compared with. */
export const measureShortDrain = oncePerBench((bench: Bench) =>
  measureDrain(bench, { count: bench.sizes.count }),
)

export const measureLongDrain = oncePerBench((bench: Bench) =>
  measureDrain(bench, { count: bench.sizes.stored }),
)

/** C: how fast deliveries are drained, every attempt recorded. */
export async function reportDrains(bench: Bench): Promise<void> {
  const { count, stored } = bench.sizes
  const before = await measureRawUndici(bench)
  const short = await measureShortDrain(bench)
  // The machine is not equally fast all the time, so what is compared with is measured on both sides.
  const after = await sendRaw(bench)
  const raw = { name: 'A', value: (before + after) / 2 }
  bench.report({ scenario: 'A', name: 'the same after C', value: after, unit: '/s' })
  const reportDrain = (
    name: string,
    { perSecond, workerUs, postgresUs, peakMb }: Drain,
    limit?: number,
  ) =>
    bench.report({
      scenario: 'C',
      name,
      value: perSecond,
      unit: '/s',
      also: { 'worker µs': workerUs, 'Postgres µs': postgresUs, 'peak MB': peakMb },
      ...(limit !== undefined && {
        bound: { kind: 'at least', limit, of: limit === 0.5 ? raw : shortDrain },
      }),
    })
  const shortDrain = { name: 'the first', value: short.perSecond }
  reportDrain(`drain of ${count.toLocaleString('en')}`, short, 0.5)
  bench.report({
    scenario: 'C',
    name: 'statements per delivery in it',
    value: short.statementsPerDelivery,
    unit: 'statements',
    bound: { kind: 'at most', limit: 0.1 },
  })
  reportDrain('drain of as many to one webhook', await measureDrain(bench, { count, webhooks: 1 }))
  reportDrain(
    `drain of as many, ${stored.toLocaleString('en')} others waiting`,
    await measureDrain(bench, { count, waiting: stored }),
    0.9,
  )
  reportDrain(`drain of ${stored.toLocaleString('en')}`, await measureLongDrain(bench), 0.9)
}

/** H: two worker processes share the work. */
export async function reportTwoWorkers(bench: Bench): Promise<void> {
  const { perSecond } = await measureDrain(bench, { count: bench.sizes.count, processes: 2 })
  const short = await measureShortDrain(bench)
  bench.report({
    scenario: 'H',
    name: `drain of ${bench.sizes.count.toLocaleString('en')} by two processes`,
    value: perSecond,
    unit: '/s',
    also: { 'of one process': perSecond / short.perSecond },
  })
}
