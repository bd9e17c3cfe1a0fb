export type ArrayElement = string | number | boolean | Date | Buffer | null

/**
 * A list as Postgres writes an array, to be passed for a parameter such as `$1::text[]`. `pg` does the same with lists,
 * but escapes numbers and ids too, which takes two to four times as long: too much for every event and attempt.
 */
export function arrayLiteral(elements: readonly ArrayElement[]): string {
  let literal = '{'
  for (let i = 0; i < elements.length; i++) {
    if (i > 0) literal += ','
    literal += elementLiteral(elements[i] as ArrayElement)
  }
  return `${literal}}`
}

function elementLiteral(element: ArrayElement): string {
  if (element === null) return 'NULL'
  if (typeof element === 'string') return `"${SPECIAL.test(element) ? escaped(element) : element}"`
  if (typeof element !== 'object') return String(element)
  if (element instanceof Date) return `"${element.toISOString()}"`
  return `"\\\\x${element.toString('hex')}"`
}

const SPECIAL = /["\\]/

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')
}
