/** What is used fills it, and it drains at a steady rate: level with its brim, it takes no more until some is gone. */
export interface Bucket {
  level: number
  /** When the level was right. */
  atMs: number
}

/** So many seconds' worth may be used at once. */
export const WINDOW_SECONDS = 10

/** How much an empty bucket takes. */
export function quotaOf(perSecond: number): number {
  return perSecond * WINDOW_SECONDS
}

/** Brings the level up to date. */
export function drain(bucket: Bucket, perSecond: number, nowMs: number): void {
  const elapsedSeconds = Math.max(0, nowMs - bucket.atMs) / 1_000
  bucket.level = Math.max(0, bucket.level - elapsedSeconds * perSecond)
  bucket.atMs = nowMs
}

/**
 * Fills a bucket that has room for one; answers whether it had. What is asked for in one piece is granted whole, and
 * waited for afterwards, so that a large piece is never passed over for small ones.
 */
export function fill(bucket: Bucket, perSecond: number, amount: number, nowMs: number): boolean {
  drain(bucket, perSecond, nowMs)
  if (bucket.level > quotaOf(perSecond) - 1) return false
  bucket.level += amount
  return true
}
