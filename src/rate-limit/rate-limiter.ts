import type { Sql } from '../db/client.ts'
import { type Bucket, drain, fill, quotaOf } from './bucket.ts'
import { type Budget, shareUse, type Use } from './share-use.ts'

/** What is left of a budget, after some of it was asked for. */
export interface Allowance {
  readonly budget: Budget
  readonly granted: boolean
  /** What may be used at once when nothing was used lately. */
  readonly quota: number
  readonly remaining: number
  /** Until all of it is there again. */
  readonly resetSeconds: number
  /** Until some of it is there again. */
  readonly retryAfterSeconds: number
}

/** Counts what API keys use. */
export interface RateLimiter extends AsyncDisposable {
  /** Takes from the budget of a key that may use so much per second. Answers at once, without asking the database. */
  take(keyId: string, budget: Budget, amount: number, perSecond: number): Allowance
}

export interface RateLimiterOptions {
  readonly sql: Sql
  readonly onError: (error: unknown) => void
  /** Milliseconds that only ever grow. Default: the machine's. */
  readonly now?: () => number
}

/** How often the processes tell each other what was used. */
const SHARE_EVERY_MS = 250

/** And at once, when this part of a quota was used since. */
const SHARE_PART = 0.1

interface SharedBucket extends Bucket {
  readonly keyId: string
  readonly budget: Budget
  perSecond: number
  /** What was used here that the others do not know of yet. */
  untold: number
}

/**
 * Each process counts by itself and adds what it counted to a table, where it learns of the others. So a key can use,
 * beyond its limit, at most a tenth of its quota, and what arrives while the statement is under way, for each further
 * process; and as all of that is counted, it waits for it afterwards. While Postgres is away, each process counts alone.
 */
export function createRateLimiter({
  sql,
  onError,
  now = () => performance.now(),
}: RateLimiterOptions): RateLimiter {
  const buckets = new Map<string, SharedBucket>()
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let sharing: Promise<void> | undefined

  function bucketOf(keyId: string, budget: Budget): SharedBucket {
    const name = `${budget} ${keyId}`
    const known = buckets.get(name)
    if (known) return known
    const bucket = { keyId, budget, perSecond: 1, untold: 0, level: 0, atMs: now() }
    buckets.set(name, bucket)
    return bucket
  }

  function shareSoon(): void {
    timer ??= setTimeout(shareNow, SHARE_EVERY_MS).unref()
  }

  function shareNow(): void {
    clearTimeout(timer)
    timer = undefined
    sharing ??= share()
      .catch(onError)
      .finally(() => {
        sharing = undefined
        if (buckets.size > 0 && !stopped) shareSoon()
      })
  }

  async function share(): Promise<void> {
    const uses: Use[] = []
    for (const [name, bucket] of buckets) {
      if (bucket.untold > 0) uses.push({ ...bucket, amount: bucket.untold })
      else if (isDrained(bucket, now())) buckets.delete(name)
      // What cannot be told is forgotten: told later, it would count once more when it has long drained away.
      bucket.untold = 0
    }
    if (uses.length === 0) return
    for (const { keyId, budget, level } of await shareUse(sql, uses)) {
      const bucket = bucketOf(keyId, budget)
      drain(bucket, bucket.perSecond, now())
      bucket.level = Math.max(bucket.level, level + bucket.untold)
    }
  }

  return {
    take(keyId, budget, amount, perSecond) {
      const bucket = bucketOf(keyId, budget)
      bucket.perSecond = perSecond
      const granted = fill(bucket, perSecond, amount, now())
      if (granted) bucket.untold += amount
      if (bucket.untold >= quotaOf(perSecond) * SHARE_PART) shareNow()
      else shareSoon()
      return allowance(bucket, granted)
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      clearTimeout(timer)
      await sharing
    },
  }
}

function isDrained({ level, atMs, perSecond }: SharedBucket, nowMs: number): boolean {
  return level <= ((nowMs - atMs) / 1_000) * perSecond
}

function allowance({ budget, level, perSecond }: SharedBucket, granted: boolean): Allowance {
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
