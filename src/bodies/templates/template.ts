import { LiquidError, Output } from 'liquidjs'
import { publicId } from '../../db/ids.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { type FieldIssue, fieldIssue } from '../../lib/errors.ts'
import { type ExactJson, isExactNumber, parseExactJson } from '../../lib/exact-json.ts'
import { excerpt } from '../../lib/excerpt.ts'
import type { IssueCode } from '../../lib/issue-codes.ts'
import { OverBudget, spend, type WorkBudget } from '../../lib/work-budget.ts'
import type { BodyEvent } from '../event-graph/select-event.ts'
import { BoundedContext, FILTERS, liquid, NAMES, namesIn, TAGS } from './liquid.ts'

/** A template that was read: JSON text, and in between what renders a string to JSON. */
export type Template = readonly (string | RenderString)[]

type RenderString = (scope: object, budget: WorkBudget) => string

/** The bytes of a template's text in UTF-8. */
const MAX_BYTES = 32 * 1024
/** Also bounds how deep tags nest. */
const MAX_OUTPUTS = 200

const STRING = /("(?:[^"\\]|\\.)*")/s
const LIQUID = /\{[{%]/
const POSITION = /^(.*) at position (\d+)$/s

/** Reads a template. Returns null with any issue. */
export function compileTemplate(text: string): { template: Template | null; issues: FieldIssue[] } {
  const refused = (code: IssueCode, ...rules: string[]) => ({
    template: null,
    issues: rules.map((rule) => fieldIssue(['template'], code, rule)),
  })
  if (Buffer.byteLength(text) > MAX_BYTES) {
    const rule = `must have at most ${MAX_BYTES.toLocaleString('en')} bytes.`
    return refused('too_large', rule)
  }
  const problem = jsonProblem(text)
  if (problem !== null) return refused('malformed', problem)
  const pieces = text.split(STRING)
  const strings = pieces.map((piece): string => (piece.startsWith('"') ? JSON.parse(piece) : ''))
  const outputs = strings.reduce((sum, string) => sum + string.split(LIQUID).length - 1, 0)
  if (outputs > MAX_OUTPUTS) {
    return refused('too_many', `must have at most ${MAX_OUTPUTS} outputs and tags, not ${outputs}.`)
  }
  const rules: string[] = []
  let position = 0
  const template = pieces.map((piece, i): string | RenderString => {
    const start = position
    position += piece.length
    if (!piece.startsWith('"')) return piece.replaceAll(/\s/g, '')
    const [string = '', next = ''] = [strings[i], pieces[i + 1]]
    if (!LIQUID.test(string)) return piece
    const read = next.trimStart().startsWith(':') ? [IN_NAME] : readString(string)
    if (typeof read === 'function') return read
    rules.push(...read.map((one) => `is invalid at ${placeIn(text, start)}: ${one}`))
    return piece
  })
  return rules.length > 0 ? refused('invalid_value', ...rules) : { template, issues: [] }
}

/** Why a text is no JSON, or null. */
function jsonProblem(text: string): string | null {
  try {
    parseExactJson(text)
    return null
  } catch (error) {
    if (error instanceof RangeError) return 'is nested too deeply. Nest it less.'
    if (!(error instanceof SyntaxError)) throw error
    const [, reason = error.message, position = '0'] = POSITION.exec(error.message) ?? []
    return `is invalid at ${placeIn(text, Number(position))}: ${reason}. Write JSON with Liquid in its strings, such as {"text": "{{ data.order.id }}"}; for a value that is no text, "{{ data.total | json }}".`
  }
}

const IN_NAME = 'The name of a field has Liquid. Put Liquid in values.'

/** What renders a string with Liquid, or sentences that say what is wrong with the string. */
function readString(text: string): RenderString | string[] {
  try {
    const parts = liquid.parse(text)
    const problems = namesIn(parts).flatMap(problemOfName)
    if (problems.length > 0) return problems
    const [only, ...others] = parts
    const isOne = only instanceof Output && others.length === 0
    const isValue = isOne && only.value.filters.at(-1)?.name === 'json'
    return (scope, budget) => {
      const rendered = liquid.renderSync(parts, new BoundedContext(scope, text.length, budget))
      return isValue ? rendered : JSON.stringify(rendered)
    }
  } catch (error) {
    if (!(error instanceof LiquidError)) throw error
    return [explain(error)]
  }
}

function problemOfName(name: string): string[] {
  if (/^(data|previous)(\.|$)/.test(name) || NAMES.includes(name)) return []
  const hint = didYouMean(name, NAMES) || ` For a field of data, write data.${name}.`
  const known = ['data', 'previous', ...NAMES].join(', ')
  return [`There is no name ${JSON.stringify(excerpt(name, 100))}.${hint} The names are ${known}.`]
}

function explain({ message }: LiquidError): string {
  const reason = excerpt(message.replace(/, line:\d+, col:\d+$/, ''), 200)
  return `Liquid says: ${reason}. Write {{ data.name | filter: "argument" }}, or {% tag %} with its end. The filters are ${FILTERS.join(', ')}. The tags are ${TAGS.join(', ')}.`
}

/** `line 3, column 12`: both count from 1, and columns are UTF-16 units, as in editors. */
function placeIn(text: string, position: number): string {
  const before = text.slice(0, position)
  const line = before.split('\n').length
  return `line ${line}, column ${position - before.lastIndexOf('\n')}`
}

export const MAX_RENDERED_BYTES = 256 * 1024

/** What bodies are made of beside the event. */
export interface DeliveryOfBody {
  /** Uuids. */
  readonly id: string
  readonly webhookId: string
  /** The origin of the console. Null if an operator has not set it. */
  readonly publicUrl: string | null
}

/** Reading JSON takes a step for so many characters. */
const CHARACTERS_OF_STEP = 8

/**
 * The body that a template gives for an event: JSON of at most 256 KiB. Throws `OverBudget` for more, for too much work, and
 * for what Liquid cannot do with the data.
 */
export function renderTemplate(
  template: Template,
  event: BodyEvent,
  delivery: DeliveryOfBody,
  budget: WorkBudget,
): string {
  let body = ''
  try {
    const scope = scopeOf(event, delivery, budget)
    for (const part of template) {
      body += typeof part === 'string' ? part : part(scope, budget)
    }
  } catch (error) {
    // A `RangeError`: the data nest too deep for the stack.
    if (error instanceof LiquidError || error instanceof RangeError) throw new OverBudget()
    throw error
  }
  if (Buffer.byteLength(body) > MAX_RENDERED_BYTES) throw new OverBudget()
  return body
}

/** The variables of Liquid. */
function scopeOf(
  { id, type, occurredAt, data, previous }: BodyEvent,
  delivery: DeliveryOfBody,
  budget: WorkBudget,
): object {
  const deliveryId = publicId('delivery', delivery.id)
  const url = delivery.publicUrl && `${delivery.publicUrl}/console/deliveries/${deliveryId}`
  return {
    event: { id: publicId('event', id), type, occurredAt: occurredAt.toISOString() },
    webhook: { id: publicId('webhook', delivery.webhookId) },
    delivery: { id: deliveryId, url },
    data: readData(data, budget),
    previous: readData(previous ?? 'null', budget),
  }
}

function readData(text: string, budget: WorkBudget): ExactJson {
  spend(budget, text.length / CHARACTERS_OF_STEP)
  return withEmptyTexts(parseExactJson(text))
}

/** Lets JavaScript take a list for an empty text where it needs a text or a number: joining the items can take long. */
function withEmptyTexts(value: ExactJson): ExactJson {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  for (const item of Object.values(value)) withEmptyTexts(item)
  return Array.isArray(value) ? Object.assign(value, { [Symbol.toPrimitive]: () => '' }) : value
}
