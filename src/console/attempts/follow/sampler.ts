/** Samples items that arrive faster than a reader can follow. */
interface Sampler<Item> {
  /** Adds an item to the sample of the next paint, or drops it. */
  add(item: Item, nowMs: number): void
  /** Takes the sample, newest first. Each item had the same chance. */
  take(): Item[]
  /** The number of items received in the last second, and the number of those shown. */
  rate(nowMs: number): { readonly received: number; readonly shown: number }
}

interface SamplerOptions {
  /** The maximum size of a sample. */
  readonly perPaint: number
  /** Returns a number from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number
}

const SECOND_MS = 1_000
const BUCKET_MS = 100
const BUCKETS = SECOND_MS / BUCKET_MS

export function createSampler<Item>({
  perPaint,
  random = Math.random,
}: SamplerOptions): Sampler<Item> {
  let kept: { readonly item: Item; readonly order: number; readonly bucket: Bucket }[] = []
  let seen = 0
  const buckets = new Map<number, Bucket>()

  function bucketAt(nowMs: number): Bucket {
    const at = Math.floor(nowMs / BUCKET_MS)
    const bucket = buckets.get(at) ?? { received: 0, shown: 0 }
    if (!buckets.has(at)) {
      buckets.set(at, bucket)
      for (const old of buckets.keys()) if (old <= at - 2 * BUCKETS) buckets.delete(old)
    }
    return bucket
  }

  return {
    add(item, nowMs) {
      const bucket = bucketAt(nowMs)
      bucket.received++
      const entry = { item, order: seen++, bucket }
      // Reservoir sampling: https://en.wikipedia.org/wiki/Reservoir_sampling#Simple:_Algorithm_R
      if (kept.length < perPaint) kept.push(entry)
      else {
        const index = Math.floor(random() * seen)
        if (index < perPaint) kept[index] = entry
      }
    },
    take() {
      const taken = kept.sort((a, b) => b.order - a.order)
      for (const { bucket } of taken) bucket.shown++
      kept = []
      seen = 0
      return taken.map(({ item }) => item)
    },
    rate(nowMs) {
      // Leaves out the current bucket, which is still filling.
      const until = Math.floor(nowMs / BUCKET_MS)
      let [received, shown] = [0, 0]
      for (const [at, bucket] of buckets) {
        if (at >= until || at < until - BUCKETS) continue
        received += bucket.received
        shown += bucket.shown
      }
      return { received, shown }
    },
  }
}

interface Bucket {
  received: number
  shown: number
}
