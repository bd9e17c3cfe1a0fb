/** One step of a path: a name, an index of an array, or each item of an array. */
export type PathStep =
  | { readonly name: string }
  | { readonly index: number }
  | { readonly eachItem: true }

/** The characters of a path. */
export const MAX_PATH_LENGTH = 200

/** One step: `.name`, `[0]`, `[*]`, `['name']` or `["name"]`. */
const STEP =
  /\.([\p{L}_][\p{L}\p{N}_]*)|\[(0|[1-9]\d{0,5})\]|\[(\*)\]|\['([^'"\\[\]\p{Cc}]+)'\]|\["([^'"\\[\]\p{Cc}]+)"\]/uy

const SIMPLE_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** The steps of a path of JSONPath (RFC 9535), such as `$.order.id` or `$.items[*].sku`. Null if the text is no such path. */
export function parsePath(text: string): PathStep[] | null {
  if (!text.startsWith('$') || text.length > MAX_PATH_LENGTH || !text.isWellFormed()) return null
  const steps: PathStep[] = []
  STEP.lastIndex = 1
  while (STEP.lastIndex < text.length) {
    const step = STEP.exec(text)
    if (!step) return null
    const [, dotted, index, star, single, double] = step
    if (star !== undefined) steps.push({ eachItem: true })
    else if (index !== undefined) steps.push({ index: Number(index) })
    else steps.push({ name: (dotted ?? single ?? double) as string })
  }
  return steps
}

/** The path in its normal form: names without brackets where the syntax allows. */
export function printPath(steps: readonly PathStep[]): string {
  return `$${steps.map(printStep).join('')}`
}

function printStep(step: PathStep): string {
  if ('eachItem' in step) return '[*]'
  if ('index' in step) return `[${step.index}]`
  return SIMPLE_NAME.test(step.name) ? `.${step.name}` : `['${step.name}']`
}
