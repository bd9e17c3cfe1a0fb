import {
  Context,
  Drop,
  defaultOperators,
  filters,
  Liquid,
  type Operators,
  type Template,
  toValue,
} from 'liquidjs'
import { type ExactJson, isExactNumber, printExactJson } from '../../lib/exact-json.ts'
import { parseRfc3339 } from '../../lib/rfc3339-time.ts'
import { spend, type WorkBudget } from '../../lib/work-budget.ts'

/** The variables, beside those below `data` and `previous`. */
export const NAMES = [
  ...['event.id', 'event.type', 'event.occurredAt'],
  ...['webhook.id', 'delivery.id', 'delivery.url'],
]

/** The tags that read no file, and whose work is counted. */
export const TAGS = [
  ...['assign', 'capture', 'comment', 'raw'],
  ...['if', 'unless', 'for', 'break', 'continue'],
]

/**
 * The filters that always give the same text for an event, so that a retry sends the same bytes, and whose work is at most
 * as large as the data. Filters that nest lists, or repeat their items, would make more.
 */
export const FILTERS = [
  ...['default', 'json', 'date', 'size', 'first', 'last', 'map', 'compact', 'join', 'split'],
  ...['upcase', 'downcase', 'capitalize', 'strip', 'escape', 'replace', 'truncate'],
  ...['plus', 'minus', 'times', 'divided_by', 'modulo', 'round', 'floor', 'ceil', 'abs'],
]

const FOR_LISTS = ['size', 'first', 'last', 'map', 'compact', 'join']

/** What a step of the budget is: so many characters that are read or written, or items of a list that is read. */
const CHARACTERS_OF_STEP = 16
const ITEMS_OF_STEP = 4
const STEPS_OF_PART = 10
/** Each takes as long as reading so many characters: a letter of a format can be the name of a month. */
const DATE_LETTER = 500
const JSON_CHARACTER = 3
const COMPARED_ITEM = 8

export const liquid = new Liquid({
  ownPropertyOnly: true,
  strictFilters: true,
  outputEscape: function (this: { context: Context }, value: unknown) {
    const text = textOf(value)
    this.context.memoryLimit.use(text.length)
    return text
  },
  operators: boundedOperators(),
})

for (const name of Object.keys(liquid.tags)) if (!TAGS.includes(name)) delete liquid.tags[name]
for (const [name, filter] of Object.entries(filters)) {
  if (!FILTERS.includes(name)) liquid.unregisterFilter(name)
  else if (name !== 'default' && typeof filter === 'function') {
    const isForLists = FOR_LISTS.includes(name)
    liquid.registerFilter(name, function (value: unknown, ...options: unknown[]) {
      return filter.call(this, isForLists ? value : scalar(value), ...options.map(scalar))
    })
  }
}

/** A filter for texts or numbers takes a list or an object as empty: a text of it can be long. */
function scalar(value: unknown): unknown {
  return isContainer(value) ? '' : value
}

function isContainer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return !isExactNumber(value) && !(value instanceof Drop)
}

/**
 * Only of RFC 3339 times, in UTC: `now`, and a time without a zone, differ between attempts or machines. Liquid's own filter
 * reads UTC by the clock of the machine, which can be an hour off where that changes for the summer.
 */
liquid.registerFilter('date', function (value: unknown, format: unknown) {
  const time = typeof value === 'string' ? parseRfc3339(value) : null
  if (time === null || typeof format !== 'string') return value
  this.context.memoryLimit.use(DATE_LETTER * format.length)
  return format.replaceAll(/%(-?)(\w|%)/g, (all, dash: string, letter: string) => {
    const text = Object.hasOwn(DATE_PARTS, letter) ? DATE_PARTS[letter]?.(time) : undefined
    return dash ? (text?.replace(/^0(?=\d)/, '') ?? all) : (text ?? all)
  })
})

const iso = (start: number, end: number) => (time: Date) => time.toISOString().slice(start, end)
const named = (options: Intl.DateTimeFormatOptions) => {
  const names = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' })
  return (time: Date) => names.format(time)
}

/** The letters of `strftime`. */
const DATE_PARTS: Readonly<Record<string, (time: Date) => string>> = {
  ...{ Y: iso(0, 4), y: iso(2, 4), m: iso(5, 7), d: iso(8, 10), F: iso(0, 10) },
  ...{ H: iso(11, 13), M: iso(14, 16), S: iso(17, 19), L: iso(20, 23), T: iso(11, 19) },
  I: (time) => String(((time.getUTCHours() + 11) % 12) + 1).padStart(2, '0'),
  p: (time) => (time.getUTCHours() < 12 ? 'AM' : 'PM'),
  ...{ b: named({ month: 'short' }), B: named({ month: 'long' }) },
  ...{ a: named({ weekday: 'short' }), A: named({ weekday: 'long' }) },
  s: (time) => String(Math.floor(time.getTime() / 1_000)),
  ...{ z: () => '+0000', Z: () => 'UTC', '%': () => '%' },
}

liquid.registerFilter('json', {
  raw: true,
  handler(value: unknown) {
    const json = jsonOf(value)
    this.context.memoryLimit.use(JSON_CHARACTER * json.length)
    return json
  },
})

/** The variables that a template does not set itself, such as `event.type`: at most two steps of each path. */
export function namesIn(templates: Template[]): string[] {
  const { globals } = liquid.analyzeSync(templates, { partials: false })
  return Object.values(globals)
    .flat()
    .map(({ segments }) => segments.slice(0, 2).join('.'))
}

/**
 * Counts what Liquid does for a string of `length` characters. Its own limit counts milliseconds, so that an event would
 * depend on the machine. Throws `OverBudget`, which Liquid may put into a `LiquidError`.
 */
export class BoundedContext extends Context {
  readonly #budget: WorkBudget

  constructor(scope: object, length: number, budget: WorkBudget) {
    super(scope, liquid.options, { sync: true }, { liquid })
    this.#budget = budget
    const steps = STEPS_OF_PART + length / CHARACTERS_OF_STEP
    // Called for each text, output and tag that is rendered.
    this.renderLimit.check = () => spend(budget, steps)
    this.memoryLimit.use = (count) => {
      if (count > 0) spend(budget, count / CHARACTERS_OF_STEP)
    }
  }

  override readProperty(...[of, name]: Parameters<Context['readProperty']>): unknown {
    const value: unknown = super.readProperty(of, name)
    spend(this.#budget, 1 + sizeOf(value))
    return value
  }
}

/** A loop over it, or a comparison with it, takes so many steps. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / CHARACTERS_OF_STEP
  if (Array.isArray(value)) return value.length / ITEMS_OF_STEP
  return typeof value === 'object' && value !== null ? 2 * Object.keys(value).length : 0
}

function textOf(value: unknown): string {
  const plain: unknown = toValue(value)
  return typeof plain === 'object' && plain !== null ? jsonOf(plain) : String(plain ?? '')
}

function jsonOf(value: unknown): string {
  return printExactJson(toValue(value) as ExactJson) ?? 'null'
}

type Operator = (left: unknown, right: unknown) => ReturnType<Operators[string]>

/** The operators of Liquid, for numbers that keep their digits, and without comparing lists item by item. */
function boundedOperators(): Operators {
  const operators = { ...defaultOperators }
  for (const name of ['==', '!=', '>', '<', '>=', '<=']) {
    const operator = defaultOperators[name] as Operator
    operators[name] = (left: unknown, right: unknown) =>
      operator(operand(left, right), operand(right, left))
  }
  operators['contains'] = (list: unknown, item: unknown, { memoryLimit }: Context) => {
    const wanted = operand(item)
    if (!Array.isArray(list)) return typeof list === 'string' && list.includes(textOf(wanted))
    memoryLimit.use(COMPARED_ITEM * list.length)
    return list.some((one) => operand(one) === wanted)
  }
  return operators
}

/** A list or an object equals nothing but what Liquid calls `empty`, `blank` and `nil`. */
function operand(value: unknown, other?: unknown): unknown {
  if (isExactNumber(value)) return Number(value.value)
  return isContainer(value) && !(other instanceof Drop) ? Number.NaN : value
}
