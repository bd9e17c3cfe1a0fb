import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  decodeString,
  OPEN_ARRAY,
  OPEN_OBJECT,
  skipSpace,
  skipString,
  skipValue,
} from '../event-graph/skip-json.ts'
import type { PathStep } from '../lib/json-path.ts'
import { spend, spendOnText, type WorkBudget } from '../lib/work-budget.ts'

/**
 * The JSON texts that each path leads to, in the order of the paths. A path without `[*]` leads to one or none. Throws
 * `OverBudget`.
 */
export type PathSlicer = (json: string, budget: WorkBudget) => readonly (readonly string[])[]

/** A step that paths share. `ends`: the paths that end here; `below`: all that end here or further on. */
interface Node {
  readonly ends: number[]
  readonly below: number[]
  readonly names: Map<string, Node>
  readonly indexes: Map<number, Node>
  each: Node | null
}

/**
 * Cuts what paths lead to from JSON, by one walk through its text for all paths. Of a repeated name, the last one counts.
 * The text must be valid JSON.
 */
export function pathSlicer(paths: readonly (readonly PathStep[])[]): PathSlicer {
  const root = newNode()
  for (const [path, steps] of paths.entries()) {
    let node = root
    node.below.push(path)
    for (const step of steps) {
      node = nextNode(node, step)
      node.below.push(path)
    }
    node.ends.push(path)
  }
  if (paths.length === 0) return () => []
  return (json, budget) => {
    const found: string[][] = paths.map(() => [])
    spendOnText(budget, json.length)
    walk({ json, found, budget }, skipSpace(json, 0), [root])
    return found
  }
}

function newNode(): Node {
  return { ends: [], below: [], names: new Map(), indexes: new Map(), each: null }
}

function nextNode(node: Node, step: PathStep): Node {
  if ('eachItem' in step) {
    node.each ??= newNode()
    return node.each
  }
  const [nodes, key] = 'name' in step ? [node.names, step.name] : [node.indexes, step.index]
  const next = (nodes as Map<string | number, Node>).get(key) ?? newNode()
  ;(nodes as Map<string | number, Node>).set(key, next)
  return next
}

interface Walk {
  readonly json: string
  readonly found: string[][]
  readonly budget: WorkBudget
}

/** Returns where the value that begins at `start` ends. */
function walk(walked: Walk, start: number, nodes: readonly Node[]): number {
  const { json, found, budget } = walked
  spend(budget, nodes.length)
  const first = json.charCodeAt(start)
  const end =
    first === OPEN_OBJECT && nodes.some(({ names }) => names.size > 0)
      ? walkObject(walked, start, nodes)
      : first === OPEN_ARRAY && nodes.some(({ each, indexes }) => each || indexes.size > 0)
        ? walkArray(walked, start, nodes)
        : skipValue(json, start)
  for (const { ends } of nodes) {
    for (const path of ends) found[path]?.push(json.slice(start, end))
  }
  return end
}

function walkObject(walked: Walk, start: number, nodes: readonly Node[]): number {
  const { json, found, budget } = walked
  /** How many texts the paths below a name had before this object, to forget those of a repeated name. */
  const before = new Map<Node, number[]>()
  let at = skipSpace(json, start + 1)
  while (at < json.length && json.charCodeAt(at) !== CLOSE_OBJECT) {
    const nameEnd = skipString(json, at)
    const name = decodeString(json, at, nameEnd)
    // Behind the name stand white space, a colon, and white space.
    const valueAt = skipSpace(json, skipSpace(json, nameEnd) + 1)
    const next: Node[] = []
    spend(budget, nodes.length)
    for (const { names } of nodes) {
      const node = names.get(name)
      if (!node) continue
      next.push(node)
      const counts = before.get(node)
      spend(budget, node.below.length)
      if (counts) forget(node, counts, found)
      else
        before.set(
          node,
          node.below.map((path) => found[path]?.length ?? 0),
        )
    }
    const end = next.length > 0 ? walk(walked, valueAt, next) : skipValue(json, valueAt)
    at = skipSpace(json, end)
    if (json.charCodeAt(at) === COMMA) at = skipSpace(json, at + 1)
  }
  return at + 1
}

function forget(node: Node, counts: readonly number[], found: string[][]): void {
  for (const [i, path] of node.below.entries()) {
    const texts = found[path]
    if (texts) texts.length = counts[i] ?? 0
  }
}

function walkArray(walked: Walk, start: number, nodes: readonly Node[]): number {
  const { json, budget } = walked
  const each = nodes.flatMap((node) => node.each ?? [])
  const indexed = nodes.filter(({ indexes }) => indexes.size > 0)
  let at = skipSpace(json, start + 1)
  for (let index = 0; at < json.length && json.charCodeAt(at) !== CLOSE_ARRAY; index++) {
    spend(budget, indexed.length)
    const next =
      indexed.length === 0
        ? each
        : [...each, ...indexed.flatMap(({ indexes }) => indexes.get(index) ?? [])]
    const end = next.length > 0 ? walk(walked, at, next) : skipValue(json, at)
    at = skipSpace(json, end)
    if (json.charCodeAt(at) === COMMA) at = skipSpace(json, at + 1)
  }
  return at + 1
}

/** The items of an array, up to `max`. Throws `OverBudget`. */
export function firstItems(json: string, max: number, budget: WorkBudget): string[] {
  const items: string[] = []
  let at = skipSpace(json, 1)
  while (items.length < max && at < json.length && json.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = skipValue(json, at)
    items.push(json.slice(at, end))
    at = skipSpace(json, end)
    if (json.charCodeAt(at) === COMMA) at = skipSpace(json, at + 1)
  }
  spendOnText(budget, at)
  return items
}
