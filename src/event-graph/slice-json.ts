import { spend, spendOnText, type WorkBudget } from '../lib/work-budget.ts'
import { typeNameAlone } from './names.ts'
import type { ObjectPlan, Read, ScalarPlan, SelectionPlan, ValuePlan } from './plan.ts'
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  decodeString,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipString,
  skipValue,
} from './skip-json.ts'

/*
 * What a plan takes from the JSON text of a value, as JSON: slices of the text, so that numbers and strings keep their
 * letters. Missing values, and values of another shape than the plan needs, are null. What reads or makes JSON throws
 * `OverBudget`.
 */

/** JSON text and a place in it. */
export interface Cursor {
  readonly text: string
  at: number
  readonly budget: WorkBudget
}

/** The cursor stands at the beginning of a value, and then behind its end. */
function takeValue(cursor: Cursor, plan: ValuePlan): string {
  const code = cursor.text.charCodeAt(cursor.at)
  switch (plan.kind) {
    case 'object':
      return code === OPEN_OBJECT ? takeObject(cursor, plan) : takeNull(cursor)
    case 'list':
      return code === OPEN_ARRAY ? takeList(cursor, plan.of) : takeNull(cursor)
    default: {
      const start = cursor.at
      skip(cursor)
      return isOfKind(plan, code) ? cursor.text.slice(start, cursor.at) : 'null'
    }
  }
}

function takeNull(cursor: Cursor): string {
  skip(cursor)
  return 'null'
}

/** Moves the cursor behind the value at its place. */
function skip(cursor: Cursor): void {
  const start = cursor.at
  cursor.at = skipValue(cursor.text, start)
  spend(cursor.budget, 1)
  spendOnText(cursor.budget, cursor.at - start)
}

/** By the code of the first character. */
function isOfKind({ kind }: ScalarPlan, code: number): boolean {
  switch (kind) {
    case 'json':
      return true
    case 'string':
      return code === QUOTE
    case 'boolean':
      return code === 0x74 || code === 0x66
    case 'number':
      return isDigitOrMinus(code)
  }
}

function isDigitOrMinus(code: number): boolean {
  return code === MINUS || (code >= 0x30 && code <= 0x39)
}

function takeList(cursor: Cursor, of: ValuePlan): string {
  const { text } = cursor
  const items: string[] = []
  cursor.at = skipSpace(text, cursor.at + 1)
  while (cursor.at < text.length && text.charCodeAt(cursor.at) !== CLOSE_ARRAY) {
    items.push(takeValue(cursor, of))
    skipComma(cursor)
  }
  cursor.at++
  return `[${items.join(',')}]`
}

function skipComma(cursor: Cursor): void {
  cursor.at = skipSpace(cursor.text, cursor.at)
  if (cursor.text.charCodeAt(cursor.at) === COMMA) {
    cursor.at = skipSpace(cursor.text, cursor.at + 1)
  }
}

function takeObject(cursor: Cursor, plan: ObjectPlan): string {
  const prepared = prepare(plan)
  const values = emptyValues(plan, plan.typename)
  takeMembers(cursor, prepared.reads, values)
  return joinObject(cursor.budget, prepared, values)
}

/** `typename` is what `__typename` says. */
export function emptyValues(plan: ObjectPlan, typename: string | null): string[] {
  const values: string[] = new Array(plan.keys.length).fill('null')
  for (const key of plan.typenames) values[key] = JSON.stringify(typename)
  return values
}

/** The values count as read already, but for `null`. */
export function joinObject(
  budget: WorkBudget,
  { prefixes }: Prepared,
  values: readonly string[],
): string {
  let object = ''
  let length = 0
  for (let i = 0; i < values.length; i++) {
    const prefix = prefixes[i] as string
    object += prefix + values[i]
    length += prefix.length
  }
  spend(budget, values.length)
  spendOnText(budget, length)
  return object === '' ? '{}' : `${object}}`
}

/** Reads the members of the object at the cursor. Of a repeated name, the last one counts. */
function takeMembers(cursor: Cursor, reads: ReadsByName, values: string[]): void {
  const { text } = cursor
  cursor.at = skipSpace(text, cursor.at + 1)
  while (text.charCodeAt(cursor.at) === QUOTE) {
    const start = cursor.at
    const end = skipString(text, start)
    const found = reads.get(decodeString(text, start, end))
    // Behind the colon.
    const value = skipSpace(text, skipSpace(text, end) + 1)
    cursor.at = value
    if (found === undefined) skip(cursor)
    else takeMember(cursor, found, values)
    skipComma(cursor)
  }
  if (text.charCodeAt(cursor.at) === CLOSE_OBJECT) cursor.at++
}

/** Reads the value at the cursor for each of its uses. */
export function takeMember(cursor: Cursor, reads: readonly PreparedRead[], values: string[]): void {
  const start = cursor.at
  for (const read of reads) {
    cursor.at = start
    if ('value' in read) {
      values[read.key] = takeValue(cursor, read.value)
    } else {
      for (const key of read.keys) values[key] = 'null'
      if (cursor.text.charCodeAt(start) === OPEN_OBJECT) takeMembers(cursor, read.within, values)
      else skip(cursor)
    }
  }
}

export function caseOf(plan: SelectionPlan, eventType: string): ObjectPlan {
  const known =
    cases.get(plan) ?? new Map(plan.cases.map((one) => [one.eventType, one.plan] as const))
  cases.set(plan, known)
  return known.get(eventType) ?? plan.other
}

/** An event type that the plan does not know is newer than the plan. */
export function typenameOf({ typenames = {} }: SelectionPlan, eventType: string): string {
  return (
    (Object.hasOwn(typenames, eventType) ? typenames[eventType] : undefined) ??
    typeNameAlone(eventType)
  )
}

/** A plan with what is made of it once. */
export interface Prepared {
  /** What stands before each value: `{"id":`, and then `,"total":` */
  readonly prefixes: readonly string[]
  readonly reads: ReadsByName
}

type ReadsByName = ReadonlyMap<string, readonly PreparedRead[]>

type PreparedRead =
  | Extract<Read, { readonly value: ValuePlan }>
  | { readonly within: ReadsByName; readonly keys: readonly number[] }

const prepared = new WeakMap<ObjectPlan, Prepared>()
const cases = new WeakMap<SelectionPlan, ReadonlyMap<string, ObjectPlan>>()

export function prepare(plan: ObjectPlan): Prepared {
  const known = prepared.get(plan)
  if (known) return known
  const prefixes = plan.keys.map((key, i) => `${i === 0 ? '{' : ','}${JSON.stringify(key)}:`)
  const made = { prefixes, reads: byName(plan.reads) }
  prepared.set(plan, made)
  return made
}

function byName(reads: readonly Read[]): ReadsByName {
  const found = new Map<string, PreparedRead[]>()
  for (const read of reads) {
    const one = 'value' in read ? read : { within: byName(read.within), keys: keysOf(read.within) }
    found.set(read.name, [...(found.get(read.name) ?? []), one])
  }
  return found
}

function keysOf(reads: readonly Read[]): number[] {
  return reads.flatMap((read) => ('value' in read ? [read.key] : keysOf(read.within)))
}
