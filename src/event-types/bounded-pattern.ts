import { createContext, Script } from 'node:vm'

/** The longest validation of one event's data, in milliseconds. Validation blocks the event loop. */
const TIMEOUT_MS = 15

/** A second try, because the first can time out on a busy machine. */
const TRIES = 2

/** Steps that simple patterns can take without a timeout for one event's data: a few milliseconds. */
const MAX_STEPS = 1_000_000

/** A regular expression of a schema, which can take hours on some texts (catastrophic backtracking). */
export interface BoundedPattern {
  /** Throws `NeedsTimeout` outside `withTimeout` if the match can take long. */
  test(text: string): boolean
  /** Ajv caches patterns by this string. */
  toString(): string
}

/** The match has to run within `withTimeout`. */
export class NeedsTimeout extends Error {}

/** The match exceeded the timeout. */
export class TimedOut extends Error {}

export function boundedPattern(source: string, flags: string): BoundedPattern {
  const pattern = new RegExp(source, flags)
  const simple = isSimple(source)
  return {
    toString: () => String(pattern),
    test(text) {
      if (simple) countSteps(text)
      else if (!bounded) throw new NeedsTimeout()
      return pattern.test(text)
    },
  }
}

/** Runs a validation whose patterns throw `NeedsTimeout` before they take long. */
export function withStepLimit<T>(run: () => T): T {
  steps = 0
  return run()
}

/** A simple pattern takes at most a quadratic number of steps. */
export function countSteps(text: string): void {
  steps += text.length ** 2
  if (!bounded && steps > MAX_STEPS) throw new NeedsTimeout()
}

/** Only code in a `node:vm` context can be interrupted. Entering the context costs some 50 µs. */
const context = createContext({ run: null }) as { run: (() => unknown) | null }
const script = new Script('run()')
let bounded = false
let steps = 0

/** Runs a validation that can take long, and throws `TimedOut` after the timeout. */
export function withTimeout<T>(run: () => T): T {
  context.run = run
  bounded = true
  try {
    for (let tries = 1; ; tries++) {
      try {
        return script.runInContext(context, { timeout: TIMEOUT_MS }) as T
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        if (tries === TRIES) throw new TimedOut()
      }
    }
  } finally {
    bounded = false
    context.run = null
  }
}

/** Whether a pattern repeats no group and has no backreference, so that a match takes at most quadratic time. */
function isSimple(source: string): boolean {
  const plain = source.replaceAll(/\\[^1-9k]/g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  return !/\)[*+{]|\\/.test(plain) && (plain.match(/[*+{]/g) ?? []).length <= 2
}
