import type { Bench } from './bench.ts'
import { type Drain, measureDrain, prepareDrains } from './drain.ts'
import { measureRawUndici } from './raw-undici.ts'
import type { Bound } from './row.ts'

/**
 * The speed of the machine varies, and a short drain takes only two seconds, so the measurements alternate and repeat: A,
 * a short drain, and the same drain with other deliveries waiting or parked. The mean time of their rounds is nearly the
 * same.
 */
const ROUNDS = [
  ...(['short', 'waiting', 'parked'] as const),
  ...(['parked', 'waiting', 'short'] as const),
  ...(['short', 'waiting', 'parked'] as const),
]

async function measureRounds(bench: Bench) {
  const { count, stored, parked } = bench.sizes
  await using alone = await prepareDrains(bench)
  await using withWaiting = await prepareDrains(bench, { waiting: stored })
  await using withParked = await prepareDrains(bench, { parked })
  const drains = { short: alone, waiting: withWaiting, parked: withParked }
  const raw = [await measureRawUndici(bench)]
  const rounds = { raw, short: [] as Drain[], waiting: [] as Drain[], parked: [] as Drain[] }
  for (const [i, round] of ROUNDS.entries()) {
    rounds[round].push(await drains[round].measure({ count }))
    if (i % 3 === 2) raw.push(await measureRawUndici(bench))
  }
  return rounds
}

/** C: how fast queued deliveries are drained, with every attempt recorded. G: the memory of the longest drain. */
export async function reportDrains(bench: Bench): Promise<void> {
  const { count, stored } = bench.sizes
  const rounds = await measureRounds(bench)
  const raw = { name: 'A', value: overallRate(rounds.raw) }
  bench.report({
    scenario: 'A',
    name: 'the same, alternating with C',
    value: raw.value,
    unit: '/s',
    also: eachRound(rounds.raw),
  })
  const reportDrain = (name: string, drains: readonly Drain[], bound?: Omit<Bound, 'kind'>) => {
    const rates = drains.map(({ perSecond }) => perSecond)
    bench.report({
      scenario: 'C',
      name,
      value: overallRate(rates),
      unit: '/s',
      also: {
        ...(drains.length > 1 && eachRound(rates)),
        'worker µs': mean(drains.map(({ workerUs }) => workerUs)),
        'Postgres µs': mean(drains.map(({ postgresUs }) => postgresUs)),
        'peak MB': Math.max(...drains.map(({ peakMb }) => peakMb)),
      },
      ...(bound && { bound: { kind: 'at least', ...bound } }),
    })
  }
  const short = {
    name: 'the short drain',
    value: overallRate(rounds.short.map(({ perSecond }) => perSecond)),
  }
  reportDrain(`drain of ${format(count)}`, rounds.short, { limit: 0.4, of: raw })
  bench.report({
    scenario: 'C',
    name: 'statements per delivery in this drain',
    value: mean(rounds.short.map(({ statementsPerDelivery }) => statementsPerDelivery)),
    unit: 'statements',
    bound: { kind: 'at most', limit: 0.1 },
  })
  reportDrain(`the same drain with ${format(stored)} others waiting`, rounds.waiting, {
    limit: 0.9,
    of: short,
  })
  reportDrain(`the same drain with ${format(bench.sizes.parked)} others parked`, rounds.parked, {
    limit: 0.9,
    of: short,
  })
  reportDrain('the same drain to one webhook', [await measureDrain(bench, { count, webhooks: 1 })])
  const long = await measureDrain(bench, { count: stored })
  reportDrain(`drain of ${format(stored)}`, [long], { limit: 0.9, of: short })
  bench.report({
    scenario: 'G',
    name: `peak of the worker draining ${format(stored)}`,
    value: long.peakMb,
    unit: 'MB',
    bound: { kind: 'at most', limit: 300 },
  })
}

/** The rate of all rounds together, which have the same size. */
function overallRate(rates: readonly number[]): number {
  return 1 / mean(rates.map((rate) => 1 / rate))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function eachRound(rates: readonly number[]): Record<string, number> {
  return Object.fromEntries(rates.map((rate, i) => [`round ${i + 1}`, rate]))
}

function format(count: number): string {
  return count.toLocaleString('en')
}

/** H: drains by one, two and four worker processes. */
export async function reportWorkers(bench: Bench): Promise<void> {
  const { count } = bench.sizes
  await using drains = await prepareDrains(bench)
  const rounds: Record<number, Drain[]> = { 1: [], 2: [], 4: [] }
  for (const processes of [1, 2, 4, 4, 2, 1]) {
    rounds[processes]?.push(await drains.measure({ count, processes }))
  }
  const rateOf = (processes: number) =>
    overallRate((rounds[processes] ?? []).map(({ perSecond }) => perSecond))
  for (const [processes, drained] of Object.entries(rounds)) {
    const perSecond = rateOf(Number(processes))
    bench.report({
      scenario: 'H',
      name: `drain of ${format(count)} by ${processes} worker processes`,
      value: perSecond,
      unit: '/s',
      also: {
        'of one process': perSecond / rateOf(1),
        'worker µs': mean(drained.map(({ workerUs }) => workerUs)),
        'Postgres µs': mean(drained.map(({ postgresUs }) => postgresUs)),
        statements: mean(drained.map(({ statementsPerDelivery }) => statementsPerDelivery)),
        'bytes of WAL': mean(drained.map(({ walBytes }) => walBytes)),
      },
    })
  }
}
