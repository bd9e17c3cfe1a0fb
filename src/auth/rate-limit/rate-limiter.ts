import type { Sql } from '../../db/client.ts'
import { type Bucket, drain, fill, quotaOf } from './bucket.ts'

/** The state of a budget after a call of `consume`. */
export interface RateLimitResult {
  readonly budget: Budget
  readonly granted: boolean
  /** The amount that an idle key may use at once. */
  readonly quota: number
  readonly remaining: number
  /** Until the whole quota is available. */
  readonly resetSeconds: number
  /** Until an amount of 1 is available; at least 1. */
  readonly retryAfterSeconds: number
}

/** Limits the rate of API keys. */
export interface RateLimiter extends AsyncDisposable {
  /** Consumes an amount of a key's budget of `perSecond`. Does not wait for the database. */
  consume(keyId: string, budget: Budget, amount: number, perSecond: number): RateLimitResult
  /** Adds an amount that was known only afterwards, also if the budget is exhausted. Later calls wait for it. */
  charge(keyId: string, budget: Budget, amount: number, perSecond: number): RateLimitResult
}

interface RateLimiterOptions {
  readonly sql: Sql
  readonly onError: (error: unknown) => void
  /** A monotonic clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/** How often the processes exchange their usage. */
const SYNC_EVERY_MS = 250

/** Unsynced usage of this share of a quota is synced at once. */
const SYNC_SHARE = 0.1

interface SharedBucket extends Bucket {
  readonly keyId: string
  readonly budget: Budget
  perSecond: number
  /** Usage in this process that is not in the table yet. */
  unsynced: number
}

/**
 * Each process counts its own usage, adds it to a table, and reads the usage of the others there. For each further process,
 * a key can exceed its limit by a tenth of its quota and by the requests that arrive during a sync. The excess is counted,
 * so the key has to wait for it later. While Postgres is unavailable, each process counts only its own usage.
 */
export function createRateLimiter({
  sql,
  onError,
  now = () => performance.now(),
}: RateLimiterOptions): RateLimiter {
  const buckets = new Map<string, SharedBucket>()
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let syncing: Promise<void> | undefined

  function bucketOf(keyId: string, budget: Budget, perSecond: number): SharedBucket {
    const name = nameOf(keyId, budget)
    const existing = buckets.get(name)
    const bucket = existing ?? { keyId, budget, perSecond, unsynced: 0, level: 0, atMs: now() }
    bucket.perSecond = perSecond
    buckets.set(name, bucket)
    return bucket
  }

  function syncSoon(): void {
    timer ??= setTimeout(syncNow, SYNC_EVERY_MS).unref()
  }

  function syncNow(): void {
    clearTimeout(timer)
    timer = undefined
    syncing ??= sync()
      .catch(onError)
      .finally(() => {
        syncing = undefined
        if (buckets.size > 0 && !stopped) syncSoon()
      })
  }

  async function sync(): Promise<void> {
    const usages: Usage[] = []
    for (const [name, bucket] of buckets) {
      if (bucket.unsynced > 0) usages.push({ ...bucket, amount: bucket.unsynced })
      else if (isDrained(bucket, now())) buckets.delete(name)
      // Also if the sync fails: added later, usage that has drained by then would count again.
      bucket.unsynced = 0
    }
    if (usages.length === 0) return
    for (const { keyId, budget, level } of await syncUsage(sql, usages)) {
      const bucket = buckets.get(nameOf(keyId, budget))
      if (!bucket) continue
      drain(bucket, bucket.perSecond, now())
      bucket.level = Math.max(bucket.level, level + bucket.unsynced)
    }
  }

  function use(bucket: SharedBucket, amount: number): void {
    bucket.unsynced += amount
    if (bucket.unsynced >= quotaOf(bucket.perSecond) * SYNC_SHARE) syncNow()
    else syncSoon()
  }

  return {
    consume(keyId, budget, amount, perSecond) {
      const bucket = bucketOf(keyId, budget, perSecond)
      const granted = fill(bucket, perSecond, amount, now())
      use(bucket, granted ? amount : 0)
      return resultOf(bucket, granted)
    },
    charge(keyId, budget, amount, perSecond) {
      const bucket = bucketOf(keyId, budget, perSecond)
      drain(bucket, perSecond, now())
      bucket.level += amount
      use(bucket, amount)
      return resultOf(bucket, true)
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      clearTimeout(timer)
      await syncing
    },
  }
}

const nameOf = (keyId: string, budget: Budget) => `${budget} ${keyId}`

function isDrained({ level, atMs, perSecond }: SharedBucket, nowMs: number): boolean {
  return level <= ((nowMs - atMs) / 1_000) * perSecond
}

function resultOf({ budget, level, perSecond }: SharedBucket, granted: boolean): RateLimitResult {
  const quota = quotaOf(perSecond)
  return {
    budget,
    granted,
    quota,
    remaining: Math.max(0, Math.floor(quota - level)),
    resetSeconds: Math.ceil(level / perSecond),
    retryAfterSeconds: Math.max(1, Math.ceil((level - quota + 1) / perSecond)),
  }
}

/** An API key has a separate rate limit for each budget. */
export type Budget = 'requests' | 'events' | 'deliveries'

/** The usage of a budget of an API key in one process since the last sync. */
export interface Usage {
  readonly keyId: string
  readonly budget: Budget
  readonly amount: number
  readonly perSecond: number
}

/** Adds the usage of this process to the usage of all processes. Returns the new levels of the buckets. */
async function syncUsage(
  sql: Sql,
  usages: readonly Usage[],
): Promise<{ keyId: string; budget: Budget; level: number }[]> {
  const { rows } = await sql.query<{ api_key_id: string; budget: Budget; level: number }>({
    name: 'sync_usage',
    // Rows in a fixed order, so that processes cannot deadlock. A clock that is set back drains nothing.
    text: `
      with used as (
        select * from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[])
          as u (api_key_id, budget, amount, per_second)
      )
      insert into posthorn.rate_limits as l (api_key_id, budget, level)
      select u.api_key_id, u.budget, u.amount
      from used as u join posthorn.api_keys as k on k.id = u.api_key_id
      order by u.api_key_id, u.budget
      on conflict (api_key_id, budget) do update set
        level = excluded.level + greatest(0, l.level
          - greatest(0, extract(epoch from clock_timestamp() - l.counted_at)::float8)
          * (select per_second from used where used.api_key_id = l.api_key_id and used.budget = l.budget)),
        counted_at = clock_timestamp()
      returning l.api_key_id, l.budget, l.level`,
    values: [
      usages.map((usage) => usage.keyId),
      usages.map((usage) => usage.budget),
      usages.map((usage) => usage.amount),
      usages.map((usage) => usage.perSecond),
    ],
  })
  return rows.map(({ api_key_id: keyId, budget, level }) => ({ keyId, budget, level }))
}
