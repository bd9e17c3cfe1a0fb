/** How much is measured. */
export interface Sizes {
  /** Requests, jobs or deliveries of a short run, after the first `warmUp` of it, which do not count. */
  readonly count: number
  readonly warmUp: number
  /** Deliveries of a long run, waiting beside a short one, or stored when pages are measured. */
  readonly stored: number
  /** Deliveries parked beside a short run. */
  readonly parked: number
  /** What is queued for a receiver that hangs. */
  readonly hanging: number
  /** How long publishing is measured, and how long it goes on before. */
  readonly publishMs: number
  readonly publishWarmUpMs: number
  /** How long a busy endpoint is published to. */
  readonly busyMs: number
}

export const FULL: Sizes = {
  count: 20_000,
  warmUp: 5_000,
  stored: 1_000_000,
  parked: 50_000,
  hanging: 20_000,
  publishMs: 10_000,
  publishWarmUpMs: 6_000,
  busyMs: 60_000,
}

/** Enough to see that everything works; the numbers mean nothing. */
export const QUICK: Sizes = {
  count: 1_000,
  warmUp: 200,
  stored: 10_000,
  parked: 2_000,
  hanging: 1_000,
  publishMs: 1_000,
  publishWarmUpMs: 300,
  busyMs: 1_000,
}

/** Requests in flight of raw undici, and jobs of graphile-worker alone. */
export const CONCURRENCY = 200
