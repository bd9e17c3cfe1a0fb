import type { Lookup } from './guarded-lookup.ts'

/**
 * Keeps names that are slow to resolve from delaying the others. The system resolves on libuv's four threads, where a
 * name whose servers do not answer takes one for many seconds. So a name is looked up once at a time, names that were
 * slow share one thread, names not seen before share two, and names that were quick always find one free.
 */
export function createFairLookup(lookup: Lookup): Lookup {
  const underWay = new Map<string, ReturnType<Lookup>>()
  const paces = new Map<string, Pace>()
  const lanes = {
    quick: createLane(Number.POSITIVE_INFINITY),
    unknown: createLane(2),
    slow: createLane(1),
  }

  async function lookUp(hostname: string): ReturnType<Lookup> {
    const startedAt = performance.now()
    try {
      return await lookup(hostname)
    } finally {
      const pace = performance.now() - startedAt > SLOW_MS ? 'slow' : 'quick'
      if (paces.size >= MAX_REMEMBERED) paces.clear()
      paces.set(hostname, pace)
    }
  }

  return (hostname) => {
    const already = underWay.get(hostname)
    if (already) return already
    const enter = lanes[paces.get(hostname) ?? 'unknown']
    const lookingUp = enter(() => lookUp(hostname)).finally(() => underWay.delete(hostname))
    underWay.set(hostname, lookingUp)
    return lookingUp
  }
}

type Pace = 'quick' | 'slow'

const SLOW_MS = 1_000
const MAX_REMEMBERED = 16_384

/** Whoever asked has given up by then. */
const MOST_WAIT_MS = 5_000

type Enter = (lookUp: () => ReturnType<Lookup>) => ReturnType<Lookup>

/** Runs at most `width` lookups at a time, in the order they came. */
function createLane(width: number): Enter {
  const waiting: (() => void)[] = []
  let running = 0

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  return async (lookUp) => {
    const since = performance.now()
    if (running < width) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      if (performance.now() - since > MOST_WAIT_MS) throw tooLate()
      return await lookUp()
    } finally {
      leave()
    }
  }
}

function tooLate(): Error {
  return Object.assign(new Error('The lookup waited too long.'), { code: 'EAI_AGAIN' })
}
