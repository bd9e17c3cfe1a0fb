import { publicId } from '../db/ids.ts'
import { spendOnText, type WorkBudget } from '../lib/work-budget.ts'
import { MIN_VALUE_BYTES } from './compile-template.ts'
import {
  MAX_READ_CHARACTERS,
  type Name,
  type Template,
  type TemplateSource,
  type Value,
} from './template.ts'
import { escapeBeginning, escapeText, jsonOfItems, textOf } from './value-text.ts'

/**
 * The body that a template gives for an event: JSON of at most 256 KiB, whatever the data. A value that goes in as it is
 * keeps its letters. Throws `OverBudget`.
 */
export function renderTemplate(
  template: Template,
  source: TemplateSource,
  budget: WorkBudget,
): string {
  const { data, previous } = source.event
  const found = {
    data: template.data(data, budget),
    previous: previous === null ? [] : template.previous(previous, budget),
  }
  let { begin: body, room } = template
  for (const { from, functions, isText, then } of template.placeholders) {
    let value =
      'name' in from
        ? valueOfName(from.name, source)
        : valueOfPath(found[from.of][from.path] ?? [], from.isList)
    for (const apply of functions) {
      spendOn(value, MAX_READ_LETTERS, budget)
      value = apply(value, budget)
    }
    const max = room + MIN_VALUE_BYTES
    spendOn(value, max, budget)
    const piece = isText ? textPiece(value, max) : valuePiece(value, max)
    room = max - Math.max(Buffer.byteLength(piece), MIN_VALUE_BYTES)
    body += piece + then
  }
  return body
}

/** What functions read of the JSON of a text: a character has six letters at most. */
const MAX_READ_LETTERS = 6 * MAX_READ_CHARACTERS

/** For reading the beginning of a value. */
function spendOn(value: Value, max: number, budget: WorkBudget): void {
  if (value === null) return
  const { length } = 'items' in value ? value.items : 'json' in value ? value.json : value.text
  spendOnText(budget, Math.min(length, max))
}

function valueOfName(
  name: Name,
  { event, webhookId, deliveryId, deliveryUrl }: TemplateSource,
): Value {
  switch (name) {
    case 'event.id':
      return { text: publicId('event', event.id) }
    case 'event.type':
      return { text: event.type }
    case 'event.occurredAt':
      return { text: event.occurredAt.toISOString() }
    case 'webhook.id':
      return { text: webhookId }
    case 'delivery.id':
      return { text: deliveryId }
    case 'delivery.url':
      return deliveryUrl === null ? null : { text: deliveryUrl }
  }
}

function valueOfPath(found: readonly string[], isList: boolean): Value {
  if (isList) return { items: found }
  const [json] = found
  return json === undefined || json === 'null' ? null : { json }
}

/** The letters of a value inside a string. */
function textPiece(value: Value, maxBytes: number): string {
  // A string goes in as it was published: its letters are escaped already.
  if (value && 'json' in value && value.json.startsWith('"')) {
    const letters = value.json.slice(1, -1)
    if (Buffer.byteLength(letters) <= maxBytes) return letters
  }
  const text = textOf(value, maxBytes)
  // A character has one byte or more.
  if (text.length <= maxBytes) {
    const letters = escapeText(text)
    if (Buffer.byteLength(letters) <= maxBytes) return letters
  }
  return escapeBeginning(text, maxBytes)
}

/** The JSON of a value. What is too large and no text becomes null, as half of an object is none. */
function valuePiece(value: Value, maxBytes: number): string {
  if (value === null) return 'null'
  if ('text' in value) return quotedPiece(value, maxBytes)
  if ('items' in value) {
    const json = fits(value.items, maxBytes) ? jsonOfItems(value.items) : 'null'
    return Buffer.byteLength(json) <= maxBytes ? json : 'null'
  }
  if (Buffer.byteLength(value.json) <= maxBytes) return value.json
  return value.json.startsWith('"') ? quotedPiece(value, maxBytes) : 'null'
}

function quotedPiece(value: Value, maxBytes: number): string {
  const SHORTEST = '"…"'
  if (maxBytes < Buffer.byteLength(SHORTEST)) return 'null'
  return `"${textPiece(value, maxBytes - 2)}"`
}

/** False before all items are counted, if the first ones are too long. */
function fits(items: readonly string[], maxBytes: number): boolean {
  let length = 1
  for (const item of items) {
    length += item.length + 1
    if (length > maxBytes) return false
  }
  return true
}
