import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { compileSelection } from '../../src/bodies/event-graph/compile-selection.ts'
import { selectEvent } from '../../src/bodies/event-graph/select-event.ts'
import { compileTemplate, renderTemplate } from '../../src/bodies/templates/template.ts'
import { MAX_STEPS, newBudget, OverBudget, type WorkBudget } from '../../src/lib/work-budget.ts'

/*
 * A thread that tries random templates and selections on random hostile events, and says what became of them.
 */
export interface Work {
  readonly seed: number
  /** How many of each kind. */
  readonly runs: number
}

export interface Outcome {
  readonly heapBytes: number
  readonly done: number
  readonly overBudget: number
  /** The most steps that one piece of work was charged with. */
  readonly mostSteps: number
}

/** Of the data and the previous data of an event together. */
const MAX_BYTES = 256 * 1024

const small = fc.constantFrom(
  ...['1', '10', '"b"', '{}', '[]', 'null', '-0', '1e131071', '"2026-01-31T12:00:00Z"'],
)
const sizes = (most: number) => fc.oneof(fc.nat(200), fc.nat(most - 500), fc.constant(most - 500))

const times = (text: string, bytes: number) =>
  text.repeat(Math.max(1, Math.floor(bytes / text.length)))
const inLists = (levels: number, text: string) => '['.repeat(levels) + text + ']'.repeat(levels)

/** Ways to fill as many bytes. */
const FILLINGS: readonly ((bytes: number, item: string, levels: number) => string)[] = [
  (bytes, item, levels) =>
    `{"a":${inLists(1 + levels, `${times(`${item},`, bytes)}1`)},"items":[1]}`,
  (bytes, item, levels) => `{"a":[${times(`${inLists(levels, item)},`, bytes)}1]}`,
  (bytes) => `{"a":${inLists(1 + (bytes >> 1), '')}}`,
  (bytes) => `{"a":"${times('\\u0001', bytes)}","items":["${times('x', 50)}"]}`,
  (bytes) => `{"items":[${times('{"text":"x","next":{"items":[{"text":"y"}]}},', bytes)}1]}`,
  (bytes, item) => {
    const levels = 1 + Math.floor(bytes / 10)
    return `${'{"next":'.repeat(levels)}${item}${'}'.repeat(levels)}`
  },
]
const hostileData = (mostBytes: number) =>
  fc
    .tuple(fc.constantFrom(...FILLINGS), sizes(mostBytes), small, fc.nat(8))
    .map(([fill, bytes, item, levels]) => fill(bytes, item, levels))
const hostileEvents = fc.oneof(
  fc.record({ data: hostileData(MAX_BYTES), previous: fc.constant(null) }),
  fc.record({ data: hostileData(MAX_BYTES / 2), previous: hostileData(MAX_BYTES / 2) }),
)

const names = fc.constantFrom('data', 'data.a', 'data.a.first', 'data.items', 'data.next', 'x')
const applied = fc.constantFrom('json', 'size', 'upcase', 'join', "split: ''", "map: 'text'")
const loops: fc.Arbitrary<string> = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'large', maxDepth: 4 },
    fc.tuple(names, applied, applied).map((all) => `{{ ${all.join(' | ')} }}`),
    fc.tuple(names, tie('text')).map(([name, text]) => `{% for x in ${name} %}${text}{% endfor %}`),
    fc.tuple(tie('text'), tie('text')).map((both) => both.join('')),
  ),
})).text
const templates = loops.map((text) => JSON.stringify(`{% assign x = data %}${text}`))

const NODE = {
  type: 'object',
  properties: {
    ...{ a: {}, text: { type: 'string' }, next: { $ref: '#/$defs/node' } },
    items: { type: 'array', items: { $ref: '#/$defs/node' } },
  },
}
const schema = JSON.stringify({ ...NODE, $defs: { node: NODE } })
const TYPES = [{ name: 'thing.made', description: 'x', schema }]
const fields: fc.Arbitrary<string> = fc.letrec<{ set: string }>((tie) => {
  const below = fc.tuple(fc.constantFrom('next', 'items'), tie('set')).map((all) => all.join(' '))
  const field = fc.oneof({ depthSize: 'large', maxDepth: 12 }, fc.constantFrom('text', 'a'), below)
  return {
    set: fc
      .array(field, { minLength: 1, maxLength: 6 })
      .map((all) => `{ ${all.map((one, i) => `f${i}: ${one}`).join(' ')} }`),
  }
}).set
const selections = fields.map((set) => `{ ... on ThingMade ${set} }`)

interface Piece {
  readonly text: string
  readonly data: string
  readonly previous: string | null
}

const pieces = (texts: fc.Arbitrary<string>): fc.Arbitrary<Piece> =>
  fc.tuple(texts, hostileEvents).map(([text, event]) => ({ text, ...event }))

const EVENT = {
  id: '0199b2ba-9c00-7000-8000-000000000001',
  type: 'thing.made',
  occurredAt: new Date(0),
}

/** What each kind does with a piece. False: the text is invalid. */
const KINDS: readonly [fc.Arbitrary<string>, (piece: Piece, budget: WorkBudget) => boolean][] = [
  [
    templates,
    ({ text, data, previous }, budget) => {
      const { template } = compileTemplate(text)
      if (template === null) return false
      const delivery = { id: EVENT.id, webhookId: EVENT.id, publicUrl: null }
      renderTemplate(template, { ...EVENT, data, previous }, delivery, budget)
      return true
    },
  ],
  [
    selections,
    ({ text, data, previous }, budget) => {
      const { plan } = compileSelection(text, TYPES)
      if (plan === null) return false
      selectEvent(plan, { ...EVENT, data, previous }, budget)
      return true
    },
  ],
]

function work({ seed, runs }: Work): Outcome {
  const { gc } = globalThis as { gc?: () => void }
  gc?.()
  const heapBytes = process.memoryUsage().heapUsed
  let [done, overBudget, mostSteps] = [0, 0, 0]
  for (const [texts, run] of KINDS) {
    for (let i = 0; i < runs; i++) {
      const [piece] = fc.sample(pieces(texts), { seed: seed + i, numRuns: 1 }) as [Piece]
      const budget = newBudget()
      try {
        if (run(piece, budget)) done++
      } catch (error) {
        if (!(error instanceof OverBudget)) throw error
        overBudget++
      }
      mostSteps = Math.max(mostSteps, MAX_STEPS - budget.left)
    }
  }
  return { heapBytes, done, overBudget, mostSteps }
}

parentPort?.postMessage(work(workerData as Work))
