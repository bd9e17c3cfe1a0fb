import { createContext, Script } from 'node:vm'

/** The longest that the data of one event may be looked at, in milliseconds: nothing else happens meanwhile. */
const WITHIN_MS = 15

/** It is tried so often: the machine may have been busy with something else. */
const TRIES = 2

/** The steps that simple patterns may take without a bound, for the data of one event: a few milliseconds. */
const MAX_STEPS = 1_000_000

/** A pattern of a schema, which may have been written so that some text keeps it busy for hours. */
export interface BoundedPattern {
  /** Throws `NeedsBound` outside `withinBound`, when it could take long. */
  test(text: string): boolean
  /** Ajv tells patterns apart by it. */
  toString(): string
}

/** Says that it takes `withinBound`. */
export class NeedsBound extends Error {}

/** Says that it took longer than it may. */
export class TookTooLong extends Error {}

export function boundedPattern(source: string, flags: string): BoundedPattern {
  const pattern = new RegExp(source, flags)
  const simple = isSimple(source)
  return {
    toString: () => String(pattern),
    test(text) {
      if (simple) countSteps(text)
      else if (!bounded) throw new NeedsBound()
      return pattern.test(text)
    },
  }
}

/** Runs something whose patterns say `NeedsBound` before they have taken long. */
export function withFewSteps<T>(run: () => T): T {
  steps = 0
  return run()
}

/** A simple pattern takes a quadratic number of steps at worst. */
export function countSteps(text: string): void {
  steps += text.length ** 2
  if (!bounded && steps > MAX_STEPS) throw new NeedsBound()
}

/** Only a context of `node:vm` can be interrupted; entering it costs some 50 µs. */
const context = createContext({ run: null }) as { run: (() => unknown) | null }
const script = new Script('run()')
let bounded = false
let steps = 0

/** Runs something that may take long, and ends it with `TookTooLong` when it does. */
export function withinBound<T>(run: () => T): T {
  context.run = run
  bounded = true
  try {
    for (let tries = 1; ; tries++) {
      try {
        return script.runInContext(context, { timeout: WITHIN_MS }) as T
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        if (tries === TRIES) throw new TookTooLong()
      }
    }
  } finally {
    bounded = false
    context.run = null
  }
}

/** Whether it repeats no group and refers to none, so that it takes quadratic time at worst. */
function isSimple(source: string): boolean {
  const plain = source.replaceAll(/\\[^1-9k]/g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  return !/\)[*+{]|\\/.test(plain) && (plain.match(/[*+{]/g) ?? []).length <= 2
}
