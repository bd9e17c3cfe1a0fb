import type { BenchReceiver } from './bench-receiver.ts'
import type { BenchServer } from './bench-server.ts'
import type { Report } from './report.ts'

/** The environment of every scenario. */
export interface Bench {
  readonly server: BenchServer
  readonly receiver: BenchReceiver
  readonly sizes: Sizes
  /** Prints a row and adds it to the table. */
  readonly report: Report['add']
}

/** The sizes of the measurements. */
export type Sizes = Readonly<Record<keyof typeof FULL, number>>

export const FULL = {
  /** The requests, jobs or deliveries of a short run, after `warmUp` others that are not measured. */
  ...{ count: 20_000, warmUp: 5_000 },
  /** The deliveries of a long run, and those waiting or parked during a short one. */
  ...{ stored: 1_000_000, parked: 50_000 },
  /** How long publishing is measured, after `publishWarmUpMs`. */
  ...{ publishMs: 10_000, publishWarmUpMs: 6_000 },
  /** How long events are published at each rate to one process, and how long it rests before and while it is measured. */
  ...{ steadyMs: 15_000, settleMs: 12_000, restMs: 20_000 },
}

/** Enough to check that everything works; the results are meaningless. */
export const QUICK: Sizes = {
  ...{ count: 1_000, warmUp: 200, stored: 10_000, parked: 2_000 },
  ...{ publishMs: 1_000, publishWarmUpMs: 300, steadyMs: 2_000, settleMs: 1_000, restMs: 1_000 },
}
