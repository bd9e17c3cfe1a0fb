import { createContext, Script } from 'node:vm'

/** The longest that one pattern may look at one text, in milliseconds. */
const WITHIN_MS = 100

/** Below this a pattern that repeats nothing repeated is done at once. */
const SHORT = 256

/** A pattern of a schema, which may have been written so that some text keeps it busy for hours. */
export interface BoundedPattern {
  /** Throws `PatternTooSlow` when it takes too long. */
  test(text: string): boolean
  /** Ajv tells patterns apart by it. */
  toString(): string
}

export class PatternTooSlow extends Error {
  constructor(source: string) {
    super(`the pattern ${JSON.stringify(source.slice(0, 128))} takes too long on this text`)
  }
}

/** Only a context of `node:vm` can be interrupted while a pattern backtracks; entering it costs some 50 µs. */
const context = createContext({ pattern: null, text: '' }) as {
  pattern: RegExp | null
  text: string
}
const script = new Script('pattern.test(text)')

export function boundedPattern(source: string, flags: string): BoundedPattern {
  const pattern = new RegExp(source, flags)
  const simple = isSimple(source)
  return {
    toString: () => String(pattern),
    test(text) {
      if (simple && text.length <= SHORT) return pattern.test(text)
      try {
        return script.runInContext(Object.assign(context, { pattern, text }), {
          timeout: WITHIN_MS,
        }) as boolean
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        throw new PatternTooSlow(source)
      } finally {
        Object.assign(context, { pattern: null, text: '' })
      }
    },
  }
}

/** Whether it repeats no group and refers to none, so that it takes quadratic time at worst. */
function isSimple(source: string): boolean {
  const plain = source.replaceAll(/\\[^1-9k]/g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  return !/\)[*+{]|\\/.test(plain) && (plain.match(/[*+{]/g) ?? []).length <= 2
}
