import type { Bench } from './bench.ts'
import { percentile } from './percentile.ts'
import { startScript } from './script-process.ts'

/** The rate of publishing, and of reading pages. */
const PER_SECOND = 100

/** The times of the calls, in milliseconds. A failed call counts as infinitely slow. */
export interface Use {
  readonly times: Readonly<Record<'publishing' | 'a page of 20', readonly number[]>>
  /** The duration of the work. */
  readonly tookMs: number
}

export interface UsedApi {
  readonly url: string
  readonly token: string
  readonly type: string
}

/** Uses the API at a steady rate, and does some work after a part of the measured time. */
export async function useMeanwhile(
  { sizes }: Bench,
  target: UsedApi,
  work: (() => Promise<void>) | null,
  startsAfter = 0.5,
): Promise<Use> {
  await using script = startScript('tenant-main.ts')
  const calls = script.call<{ publishMs: (number | null)[]; readMs: (number | null)[] }>('use', {
    ...{ ...target, data: {}, perSecond: PER_SECOND },
    ...{ warmUpMs: sizes.publishWarmUpMs, measureMs: sizes.publishMs },
  })
  const waitMs = sizes.publishWarmUpMs + sizes.publishMs * startsAfter
  await new Promise((resolve) => setTimeout(resolve, waitMs))
  const startedAt = performance.now()
  await work?.()
  const tookMs = performance.now() - startedAt
  const { publishMs, readMs } = await calls
  const known = (times: readonly (number | null)[]) =>
    times.map((ms) => ms ?? Number.POSITIVE_INFINITY)
  return { times: { publishing: known(publishMs), 'a page of 20': known(readMs) }, tookMs }
}

/** A percentile of each kind of calls. */
export function percentilesOf({ times }: Use, part: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(times).map(([name, each]) => [name, percentile([...each], part)]),
  )
}
