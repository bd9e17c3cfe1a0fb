import { type Bench, oncePerBench } from './bench.ts'
import { type Drain, measureDrain, prepareDrains } from './drain.ts'
import { measureRawUndici } from './raw-undici.ts'
import type { Bound } from './row.ts'

export const measureLongDrain = oncePerBench((bench: Bench) =>
  measureDrain(bench, { count: bench.sizes.stored }),
)

/** What is compared with each other: A, the short drain, and the same with others waiting, or parked. */
type Compared = 'raw' | 'short' | 'beside' | 'parked'

/**
 * The machine is not equally fast all the time, and a short drain is over in two seconds, so each is measured more than
 * once, by turns; the mean moment of all is nearly the same.
 */
const TURNS: readonly Compared[] = [
  'raw',
  'short',
  'beside',
  'parked',
  'raw',
  'parked',
  'beside',
  'short',
  'raw',
  'short',
  'beside',
  'parked',
  'raw',
]

interface Turns {
  readonly raw: readonly number[]
  readonly short: readonly Drain[]
  readonly beside: readonly Drain[]
  readonly parked: readonly Drain[]
}

async function measureTurns(bench: Bench): Promise<Turns> {
  const { count, stored, parked: parkedCount } = bench.sizes
  await using alone = await prepareDrains(bench)
  await using besideOthers = await prepareDrains(bench, { waiting: stored })
  await using besideParked = await prepareDrains(bench, { parked: parkedCount })
  const raw: number[] = []
  const short: Drain[] = []
  const beside: Drain[] = []
  const parked: Drain[] = []
  for (const turn of TURNS) {
    if (turn === 'raw') raw.push(await measureRawUndici(bench))
    else if (turn === 'short') short.push(await alone.measure({ count }))
    else if (turn === 'beside') beside.push(await besideOthers.measure({ count }))
    else parked.push(await besideParked.measure({ count }))
  }
  return { raw, short, beside, parked }
}

/** C: how fast deliveries are drained, every attempt recorded. */
export async function reportDrains(bench: Bench): Promise<void> {
  const { count, stored } = bench.sizes
  const turns = await measureTurns(bench)
  const raw = { name: 'A', value: overTurns(turns.raw) }
  bench.report({
    scenario: 'A',
    name: 'the same, in turns with C',
    value: raw.value,
    unit: '/s',
    also: eachTurn(turns.raw),
  })
  const reportDrain = (name: string, drains: readonly Drain[], bound?: Omit<Bound, 'kind'>) => {
    const rates = drains.map(({ perSecond }) => perSecond)
    bench.report({
      scenario: 'C',
      name,
      value: overTurns(rates),
      unit: '/s',
      also: {
        ...(drains.length > 1 && eachTurn(rates)),
        'worker µs': mean(drains.map(({ workerUs }) => workerUs)),
        'Postgres µs': mean(drains.map(({ postgresUs }) => postgresUs)),
        'peak MB': Math.max(...drains.map(({ peakMb }) => peakMb)),
      },
      ...(bound && { bound: { kind: 'at least', ...bound } }),
    })
  }
  const short = { name: 'the first', value: overTurns(turns.short.map((one) => one.perSecond)) }
  reportDrain(`drain of ${show(count)}`, turns.short, { limit: 0.4, of: raw })
  bench.report({
    scenario: 'C',
    name: 'statements per delivery in it',
    value: mean(turns.short.map(({ statementsPerDelivery }) => statementsPerDelivery)),
    unit: 'statements',
    bound: { kind: 'at most', limit: 0.1 },
  })
  reportDrain(`drain of as many, ${show(stored)} others waiting`, turns.beside, {
    limit: 0.9,
    of: short,
  })
  reportDrain(`drain of as many, ${show(bench.sizes.parked)} others parked`, turns.parked, {
    limit: 0.9,
    of: short,
  })
  reportDrain('drain of as many to one webhook', [
    await measureDrain(bench, { count, webhooks: 1 }),
  ])
  reportDrain(`drain of ${show(stored)}`, [await measureLongDrain(bench)], {
    limit: 0.9,
    of: short,
  })
}

/** The rate of all turns together, as each does as much. */
function overTurns(rates: readonly number[]): number {
  return 1 / mean(rates.map((rate) => 1 / rate))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function eachTurn(rates: readonly number[]): Record<string, number> {
  return Object.fromEntries(rates.map((rate, i) => [`turn ${i + 1}`, rate]))
}

function show(count: number): string {
  return count.toLocaleString('en')
}

/** H: two worker processes share the work; by turns with one. */
export async function reportTwoWorkers(bench: Bench): Promise<void> {
  const { count } = bench.sizes
  await using drains = await prepareDrains(bench)
  const before = await drains.measure({ count })
  const { perSecond } = await drains.measure({ count, processes: 2 })
  const after = await drains.measure({ count })
  bench.report({
    scenario: 'H',
    name: `drain of ${show(count)} by two processes`,
    value: perSecond,
    unit: '/s',
    also: { 'of one process': perSecond / overTurns([before.perSecond, after.perSecond]) },
  })
}
