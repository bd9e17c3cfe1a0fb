export type ArrayElement = string | number | boolean | Date | Buffer | null

/**
 * A list as Postgres writes an array, to be passed for a parameter such as `$1::text[]`. `pg` does the same with lists,
 * but escapes numbers and ids too, which takes two to four times as long: too much for every event and attempt.
 */
export function arrayLiteral(elements: readonly ArrayElement[]): string {
  return literalOf(elements, (element) => element)
}

/** The same of one value of each row; `null` where all are, which `unnest` beside others takes for as many nulls. */
export function columnLiteral<Row>(
  rows: readonly Row[],
  of: (row: Row) => ArrayElement,
): string | null {
  return rows.every((row) => of(row) === null) ? null : literalOf(rows, of)
}

/** Much is the same from one to the next, and written as it was. */
function literalOf<Row>(rows: readonly Row[], of: (row: Row) => ArrayElement): string {
  let last: ArrayElement = null
  let literal = 'NULL'
  const literals = rows.map((row) => {
    const element = of(row)
    if (element !== last) {
      last = element
      literal = elementLiteral(element)
    }
    return literal
  })
  return `{${literals.join(',')}}`
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
