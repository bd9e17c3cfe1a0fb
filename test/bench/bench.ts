import type { BenchReceiver } from './bench-receiver.ts'
import type { BenchServer } from './bench-server.ts'
import type { Row } from './row.ts'

/** The environment of every scenario. */
export interface Bench {
  readonly server: BenchServer
  readonly receiver: BenchReceiver
  readonly sizes: Sizes
  /** The folder for CPU profiles of the measured processes, or `null` for none. */
  readonly profileFolder: string | null
  /** Prints a row and adds it to the table. */
  report(row: Row): void
}

/** The sizes of the measurements. */
export interface Sizes {
  /** The number of requests, jobs or deliveries of a short run, after `warmUp` others that are not measured. */
  readonly count: number
  readonly warmUp: number
  /** The number of deliveries of a long run and of those waiting during a short one. */
  readonly stored: number
  /** The number of deliveries parked during a short run. */
  readonly parked: number
  /** The number of deliveries queued for a receiver that hangs. */
  readonly hanging: number
  /** The webhooks and the deliveries of a large tenant beside a small one, and its events of the largest size. */
  readonly greedyWebhooks: number
  readonly greedyDeliveries: number
  readonly greedyEvents: number
  /** How long publishing is measured, after `publishWarmUpMs`. */
  readonly publishMs: number
  readonly publishWarmUpMs: number
  /** How long events are published at each rate to one process. */
  readonly steadyMs: number
  /** How long that process rests before and while it is measured. */
  readonly settleMs: number
  readonly restMs: number
}

export const FULL: Sizes = {
  count: 20_000,
  warmUp: 5_000,
  stored: 1_000_000,
  parked: 50_000,
  hanging: 20_000,
  greedyWebhooks: 5_000,
  greedyDeliveries: 100_000,
  greedyEvents: 400,
  publishMs: 10_000,
  publishWarmUpMs: 6_000,
  steadyMs: 30_000,
  settleMs: 15_000,
  restMs: 30_000,
}

/** Enough to check that everything works; the results are meaningless. */
export const QUICK: Sizes = {
  count: 1_000,
  warmUp: 200,
  stored: 10_000,
  parked: 2_000,
  hanging: 1_000,
  greedyWebhooks: 100,
  greedyDeliveries: 2_000,
  greedyEvents: 20,
  publishMs: 1_000,
  publishWarmUpMs: 300,
  steadyMs: 2_000,
  settleMs: 1_000,
  restMs: 1_000,
}
