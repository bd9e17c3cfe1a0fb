/** A leaky bucket: usage fills it, and it drains at a steady rate. A full bucket rejects usage. */
export interface Bucket {
  level: number
  /** When the level was last updated. */
  atMs: number
}

/** The burst that is allowed, in seconds of the rate. */
export const WINDOW_SECONDS = 10

/** The capacity of a bucket. */
export function quotaOf(perSecond: number): number {
  return perSecond * WINDOW_SECONDS
}

export function drain(bucket: Bucket, perSecond: number, nowMs: number): void {
  const elapsedSeconds = Math.max(0, nowMs - bucket.atMs) / 1_000
  bucket.level = Math.max(0, bucket.level - elapsedSeconds * perSecond)
  bucket.atMs = nowMs
}

/**
 * Adds an amount if the bucket has capacity for 1, and returns whether it had. A large amount may overfill the bucket, so
 * that small ones cannot starve it; later calls wait for the excess to drain.
 */
export function fill(bucket: Bucket, perSecond: number, amount: number, nowMs: number): boolean {
  drain(bucket, perSecond, nowMs)
  if (bucket.level > quotaOf(perSecond) - 1) return false
  bucket.level += amount
  return true
}
