import { LruMap } from '../../lib/lru-map.ts'
import type { VerificationResult } from './verifier.ts'

/** Decides the response to each delivery, and remembers the ids of earlier deliveries. */
export interface ResponsePlan {
  /** Counts a delivery with this id and returns how many there have been, this one included. */
  countArrival(id: string | null): number
  respondTo(id: string | null, verification: VerificationResult): PlannedResponse
}

export interface PlannedResponse {
  readonly status: number
  readonly text: string
}

/** The number of remembered ids. */
const MAX_IDS = 10_000

/**
 * A rejected delivery gets 400 and does not count as one of the `failures`. A delivery that was accepted before gets
 * 200 again, as in any receiver that deduplicates. The first `failures` other deliveries get 500, the rest `status`.
 */
export function createResponsePlan(options: { failures: number; status: number }): ResponsePlan {
  const { status } = options
  const seen = new LruMap<string, { arrivals: number; accepted: boolean }>({ maxEntries: MAX_IDS })
  let failuresLeft = options.failures

  return {
    countArrival(id) {
      if (id === null) return 1
      const known = seen.get(id) ?? { arrivals: 0, accepted: false }
      known.arrivals++
      seen.set(id, known)
      return known.arrivals
    },
    respondTo(id, verification) {
      if (verification.kind === 'rejected') return { status: 400, text: verification.message }
      const known = id === null ? undefined : seen.get(id)
      if (known?.accepted) return { status: 200, text: 'Accepted before.' }
      if (failuresLeft > 0) {
        failuresLeft--
        return { status: 500, text: 'Failing on purpose (--fail).' }
      }
      if (known && status < 300) known.accepted = true
      return { status, text: status < 300 ? 'Accepted.' : 'Status set by --status.' }
    },
  }
}
