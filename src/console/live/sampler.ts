/** What a tail that paints at a steady pace makes of things that come faster than they can be read. */
export interface Sampler<Item> {
  /** Takes note of one that came, and keeps it for the next painting or not. */
  add(item: Item, nowMs: number): void
  /** What to paint, newest first, and none twice. Every item that came had the same chance. */
  take(): Item[]
  /** How many came in the last second, and how many of those were taken. */
  rate(nowMs: number): { readonly came: number; readonly shown: number }
}

export interface SamplerOptions {
  /** How many are taken at once at most. */
  readonly perPaint: number
  /** From 0 to 1. */
  readonly random?: () => number
}

const SECOND_MS = 1_000
const SLOT_MS = 100
const SLOTS = SECOND_MS / SLOT_MS

export function createSampler<Item>({
  perPaint,
  random = Math.random,
}: SamplerOptions): Sampler<Item> {
  let kept: { readonly item: Item; readonly order: number; readonly slot: Slot }[] = []
  let seen = 0
  const slots = new Map<number, Slot>()

  function slotAt(nowMs: number): Slot {
    const at = Math.floor(nowMs / SLOT_MS)
    const slot = slots.get(at) ?? { came: 0, shown: 0 }
    if (!slots.has(at)) {
      slots.set(at, slot)
      for (const old of slots.keys()) if (old <= at - 2 * SLOTS) slots.delete(old)
    }
    return slot
  }

  return {
    add(item, nowMs) {
      const slot = slotAt(nowMs)
      slot.came++
      const one = { item, order: seen++, slot }
      // Reservoir sampling: https://en.wikipedia.org/wiki/Reservoir_sampling#Simple:_Algorithm_R
      if (kept.length < perPaint) kept.push(one)
      else {
        const place = Math.floor(random() * seen)
        if (place < perPaint) kept[place] = one
      }
    },
    take() {
      const taken = kept.sort((a, b) => b.order - a.order)
      for (const { slot } of taken) slot.shown++
      kept = []
      seen = 0
      return taken.map(({ item }) => item)
    },
    rate(nowMs) {
      // The slot that still fills would make it less than it is.
      const until = Math.floor(nowMs / SLOT_MS)
      let [came, shown] = [0, 0]
      for (const [at, slot] of slots) {
        if (at >= until || at < until - SLOTS) continue
        came += slot.came
        shown += slot.shown
      }
      return { came, shown }
    },
  }
}

interface Slot {
  came: number
  shown: number
}
