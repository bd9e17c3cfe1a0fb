import type { Verdict } from './verifier.ts'

/** Decides what each delivery is answered, and remembers which ids it has seen. */
export interface AnswerPlan {
  /** Counts an arrival of this id, and returns how many there were. */
  arrive(id: string | null): number
  answer(id: string | null, verdict: Verdict): Answer
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** So many ids are remembered; the oldest are forgotten first. */
const MAX_IDS = 10_000

/**
 * A rejected delivery is answered 400 and uses up none of the failures. What was accepted once is answered
 * 200 again, as every receiver should do it. The first `failures` of the others get 500, the rest `status`.
 */
export function createAnswerPlan(options: { failures: number; status: number }): AnswerPlan {
  const { status } = options
  const seen = new Map<string, { arrivals: number; accepted: boolean }>()
  let failuresLeft = options.failures

  return {
    arrive(id) {
      if (id === null) return 1
      const known = seen.get(id) ?? { arrivals: 0, accepted: false }
      known.arrivals++
      seen.set(id, known)
      if (seen.size > MAX_IDS) seen.delete(seen.keys().next().value as string)
      return known.arrivals
    },
    answer(id, verdict) {
      if (verdict.kind === 'rejected') return { status: 400, text: verdict.message }
      const known = id === null ? undefined : seen.get(id)
      if (known?.accepted) return { status: 200, text: 'Accepted before.' }
      if (failuresLeft > 0) {
        failuresLeft--
        return { status: 500, text: 'Failing on purpose (--fail).' }
      }
      if (known && status < 300) known.accepted = true
      return { status, text: status < 300 ? 'Accepted.' : 'Answering so on purpose (--status).' }
    },
  }
}
