import type { Value } from './template.ts'

/** The most letters that JSON takes for one UTF-16 unit: `\u0000`. */
const MAX_LETTERS = 6

/**
 * A value as a text: of a string what stands in it, and of any other value its JSON. Of a longer one, at least `max` + 1
 * UTF-16 units, so that its length tells that it is longer: a rendering may ask for the same large value a hundred times.
 */
export function textOf(value: Value, max: number): string {
  if (value === null) return ''
  if ('text' in value) return value.text
  if ('items' in value) return beginningOfItems(value.items, max)
  return value.json.startsWith('"') ? decodeBeginning(value.json, max) : value.json
}

export function jsonOfItems(items: readonly string[]): string {
  return `[${items.join(',')}]`
}

function beginningOfItems(items: readonly string[], max: number): string {
  let length = 2
  const end = items.findIndex((item) => {
    length += item.length + 1
    return length > max + 2
  })
  return jsonOfItems(end === -1 ? items : items.slice(0, end + 1))
}

function decodeBeginning(json: string, max: number): string {
  const end = MAX_LETTERS * (max + 2)
  return json.length <= end ? JSON.parse(json) : JSON.parse(`${json.slice(0, uncut(json, end))}"`)
}

/** `end`, or the place before it where an escape begins that `end` would cut. */
function uncut(json: string, end: number): number {
  const last = json.lastIndexOf('\\', end - 1)
  if (last < end - MAX_LETTERS) return end
  let first = last
  while (json[first - 1] === '\\') first--
  // Of an even number, each second one is escaped by the one before.
  return (last - first) % 2 === 0 ? last : end
}

/** A text of at most `max` UTF-16 units: a longer one ends with `…`, and no character is cut in two. */
export function excerptOf(text: string, max: number): string {
  return text.length <= max ? text : `${beginningOf(text, max - 1)}…`
}

/** The first UTF-16 units of a text, without half of a pair at the end. */
function beginningOf(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  const cutsPair = code >= 0xd800 && code <= 0xdbff
  return text.slice(0, Math.max(0, cutsPair ? length - 1 : length))
}

/** The letters of a text between the quotes of a JSON string. */
export function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The JSON letters of the beginning of a text that have at most `maxBytes` in UTF-8, `…` included. */
export function escapeBeginning(text: string, maxBytes: number): string {
  const room = maxBytes - Buffer.byteLength('…')
  if (room < 0) return ''
  let [fits, isTooLong] = [0, Math.min(text.length, room) + 1]
  while (isTooLong - fits > 1) {
    const length = (fits + isTooLong) >> 1
    if (Buffer.byteLength(escapeText(beginningOf(text, length))) <= room) fits = length
    else isTooLong = length
  }
  return `${escapeText(beginningOf(text, fits))}…`
}
