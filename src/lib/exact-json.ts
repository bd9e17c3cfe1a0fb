import { isDeepStrictEqual } from 'node:util'
import {
  type GenericObject,
  isLosslessNumber,
  LosslessNumber,
  parse,
  splitNumber,
  stringify,
} from 'lossless-json'

/** A JSON value whose numbers keep their digits. */
export type ExactJson =
  | null
  | boolean
  | string
  | LosslessNumber
  | readonly ExactJson[]
  | ExactObject

export interface ExactObject {
  readonly [name: string]: ExactJson
}

/** Parses JSON, and keeps the digits of numbers. Of a repeated name in an object, the last one counts. */
export function parseExactJson(text: string): ExactJson {
  return parse(text, null, {
    parseNumber: (digits) => new LosslessNumber(digits),
    onDuplicateKey,
  }) as ExactJson
}

const onDuplicateKey = ({ newValue }: { readonly newValue: unknown }) => newValue

/**
 * A member of an object: its name, and its value as JSON in bytes. These are outside of the heap, where a text that was
 * joined from many pieces takes ten times as much.
 */
export type Member = readonly [name: string, json: Uint8Array]

export function printMembers(members: readonly Member[]): Buffer<ArrayBuffer> {
  const parts = members.flatMap(([name, json], i) => [
    Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`),
    json,
  ])
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')])
}

/** The members of an object without undefined values. */
export function toMembers(value: object): Member[] {
  return Object.entries(value).map(([name, one]) => [name, Buffer.from(JSON.stringify(one))])
}

export function printExactJson(value: ExactJson): string {
  return stringify(value as GenericObject<unknown>) as string
}

export function isExactNumber(value: unknown): value is LosslessNumber {
  return isLosslessNumber(value)
}

/** Whether two texts of JSON have equal values: members in any order, numbers by their value. Null is equal to null only. */
export function isSameJson(a: string | null, b: string | null): boolean {
  if (a === b || a === null || b === null) return a === b
  const read = (text: string) => parse(text, null, { parseNumber: splitNumber, onDuplicateKey })
  return isDeepStrictEqual(read(a), read(b))
}

/** A number in other digits than those that JavaScript would print: `1.0`. */
interface KeptNumber {
  readonly rawJSON: string
}

/** https://tc39.es/proposal-json-parse-with-source/, which TypeScript does not know yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => KeptNumber
  readonly isRawJSON: (value: unknown) => value is KeptNumber
}

export const isKeptNumber = isRawJSON

/** Whether a value of JSON is an object. Numbers that keep their digits are none. */
export function isExactObject(value: unknown): value is ExactObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && !isExactNumber(value) && !isKeptNumber(value)
}

/** Finds every number that JavaScript would print in other digits, and some more. */
const MAY_CHANGE =
  /^\s*[-\d]|[:[,]\s*(?:-0[,\]}\s]|-?0\.00000|-?\d+(?:[.\d]{15}|\.\d*(?:0[,\]}\s]|[eE])|[eE]))/

/** Parses JSON so that `JSON.stringify` prints each number in the same digits. Takes four times as long where it must. */
export function parseKeepingDigits(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text)
  return parse(text, null, {
    parseNumber: (digits) => (String(Number(digits)) === digits ? Number(digits) : rawJSON(digits)),
    onDuplicateKey,
  })
}
