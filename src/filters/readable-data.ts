import { type ExactJson, parseExactJson } from '../lib/exact-json.ts'
import { hasLoneSurrogate } from '../lib/lone-surrogates.ts'

/**
 * The data of an event as filters read it. Null if Postgres cannot read it, as `posthorn.readable_data`: a NUL character, a
 * lone surrogate, or a number beyond `numeric`. Filters do not decide about such data.
 */
export function readableData(text: string): { readonly value: ExactJson } | null {
  if (hasNul(text) || hasLoneSurrogate(text)) return null
  let hasOtherNumbers = false
  try {
    const value = parseExactJson(text, (digits) => {
      hasOtherNumbers ||= !isNumeric(digits)
    })
    return hasOtherNumbers ? null : { value }
  } catch (error) {
    // Deep nesting overflows the stack.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** An event as filters read it. */
export interface ReadableEvent {
  readonly data: ExactJson
  /** The data before the change. Undefined: not given. */
  readonly previous?: ExactJson
}

/** Null if Postgres cannot read the data, or the data before the change. Filters do not decide about such an event. */
export function readableEvent(data: string, previous: string | null): ReadableEvent | null {
  const read = readableData(data)
  if (read === null || previous === null) return read && { data: read.value }
  const before = readableData(previous)
  return before && { data: read.value, previous: before.value }
}

function hasNul(json: string): boolean {
  return json.includes('\\u0000') && /\\u0000/.test(json.replaceAll('\\\\', '  '))
}

/** The digits that `numeric` keeps before and after the point. */
const MAX_DIGITS_BEFORE = 131_072
const MAX_DIGITS_AFTER = 16_383

/** Almost all numbers are short, and without an exponent. */
const ORDINARY = /^[-\d.]{1,100}$/

/** Whether `numeric` holds a number. */
export function isNumeric(digits: string): boolean {
  if (ORDINARY.test(digits)) return true
  const [, whole = '', fraction = '', exponentText = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(digits) ?? []
  const exponent = Number(exponentText)
  if (Math.abs(exponent) > 1_000_000) return false
  const isZero = /^0*$/.test(whole + fraction)
  const before = whole.replace(/^0+/, '').length + exponent
  return (isZero || before <= MAX_DIGITS_BEFORE) && fraction.length - exponent <= MAX_DIGITS_AFTER
}
