import { compareNumber, isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/** One field that differs. `before` or `after` is null where the field did not exist. */
export interface DataChange {
  /** `total`, `customer.email`, `lines[0].sku`; empty for the whole data. */
  readonly field: string
  /** The JSON text, with all digits of its numbers. */
  readonly before: string | null
  readonly after: string | null
}

const SIMPLE_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/**
 * The fields in which data differ from those before a change, in their order: as filters with `changed` see it, so that
 * `1` and `1.0`, and names in another order, are the same. Lists of one length are compared item by item, others as a whole.
 */
export function changesOfData(previousText: string, dataText: string): DataChange[] {
  const changes: DataChange[] = []

  function compare(before: unknown, after: unknown, field: string) {
    if (isSame(before, after)) return
    if (isObject(before) && isObject(after)) {
      for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
        compare(fieldOf(before, name), fieldOf(after, name), below(field, name))
      }
    } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      for (const [i, one] of before.entries()) compare(one, after[i], `${field}[${i}]`)
    } else {
      changes.push({ field, before: print(before), after: print(after) })
    }
  }

  compare(read(previousText), read(dataText), '')
  return changes
}

type Fields = Readonly<Record<string, unknown>>

function read(text: string): unknown {
  return parse(text, null, {
    parseNumber: (digits) => new LosslessNumber(digits),
    onDuplicateKey: ({ newValue }) => newValue,
  })
}

/** Undefined, for a field that does not exist, is no JSON. */
function print(value: unknown): string | null {
  return value === undefined ? null : (stringify(value, null, 2) ?? null)
}

function isObject(value: unknown): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  )
}

const fieldOf = (object: Fields, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined

function below(field: string, name: string): string {
  if (!SIMPLE_NAME.test(name)) return `${field}[${JSON.stringify(name)}]`
  return field === '' ? name : `${field}.${name}`
}

function isSame(a: unknown, b: unknown): boolean {
  if (isLosslessNumber(a)) return isLosslessNumber(b) && compareNumber(a.value, b.value) === 0
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((one, i) => isSame(one, b[i]))
  }
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}
