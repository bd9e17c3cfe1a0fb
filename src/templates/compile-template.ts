import { type FieldIssue, fieldIssue } from '../lib/errors.ts'
import { type PathStep, printPath } from '../lib/json-path.ts'
import { pathSlicer } from './path-slicer.ts'
import { type ReadPlaceholder, readPlaceholder } from './read-placeholder.ts'
import { type PlaceholderText, scanTemplate } from './scan-template.ts'
import {
  MAX_PLACEHOLDERS,
  MAX_RENDERED_BYTES,
  MAX_TEMPLATE_BYTES,
  type Placeholder,
  type Template,
} from './template.ts'
import { placeIn, TemplateError } from './template-error.ts'

/** What any value takes at least: `null`, or the `…` of a text. */
export const MIN_VALUE_BYTES = 4

const MAX_ISSUES = 10

/** Reads a template. `at` is its path in the input. Returns null with any issue. */
export function compileTemplate(
  text: string,
  at: FieldIssue['path'],
): { template: Template | null; issues: FieldIssue[] } {
  const refused = (...issues: FieldIssue[]) => ({ template: null, issues })
  if (Buffer.byteLength(text) > MAX_TEMPLATE_BYTES) {
    const rule = `must have at most ${MAX_TEMPLATE_BYTES.toLocaleString('en')} bytes.`
    return refused(fieldIssue(at, 'too_large', rule))
  }
  if (!text.isWellFormed()) {
    return refused(fieldIssue(at, 'lone_surrogate', 'has half of a character. Remove the half.'))
  }
  const issues: FieldIssue[] = []
  /** Null, and an issue, if `read` throws a `TemplateError`. */
  const attempt = <T>(read: () => T): T | null => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const rule = `${error.message} at ${placeIn(text, error.position)}. ${error.remedy}`
      issues.push(fieldIssue(at, error.code, rule))
      return null
    }
  }
  const scanned = attempt(() => scanTemplate(text))
  if (!scanned) return refused(...issues)
  const { texts, placeholders } = scanned
  if (placeholders.length > MAX_PLACEHOLDERS) {
    const rule = `must have at most ${MAX_PLACEHOLDERS} placeholders, not ${placeholders.length}.`
    return refused(fieldIssue(at, 'too_many', rule))
  }
  const read = placeholders.map((one) => attempt(() => readPlaceholder(one)))
  if (issues.length > 0) return refused(...issues.slice(0, MAX_ISSUES))
  return { template: assemble(texts, placeholders, read as ReadPlaceholder[]), issues }
}

function assemble(
  [begin = '', ...rest]: readonly string[],
  scanned: readonly PlaceholderText[],
  read: readonly ReadPlaceholder[],
): Template {
  const paths = { data: pathList(), previous: pathList() }
  const placeholders = read.map(({ from, functions }, i): Placeholder => {
    const then = rest[i] ?? ''
    const isText = scanned[i]?.inString === true
    if ('name' in from) return { from, functions, isText, then }
    const path = paths[from.of].indexOf(from.steps)
    const isList = from.steps.some((step) => 'eachItem' in step)
    return { from: { of: from.of, path, isList }, functions, isText, then }
  })
  const bytes = Buffer.byteLength([begin, ...rest].join(''))
  return {
    begin,
    placeholders,
    data: pathSlicer(paths.data.list),
    previous: pathSlicer(paths.previous.list),
    room: MAX_RENDERED_BYTES - bytes - MIN_VALUE_BYTES * placeholders.length,
  }
}

/** Different paths; the same path twice has one place. */
function pathList() {
  const list: (readonly PathStep[])[] = []
  const places = new Map<string, number>()
  return {
    list,
    indexOf(steps: readonly PathStep[]): number {
      const text = printPath(steps)
      const place = places.get(text) ?? list.push(steps) - 1
      places.set(text, place)
      return place
    },
  }
}
