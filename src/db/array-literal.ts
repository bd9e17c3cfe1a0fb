export type ArrayElement = string | number | boolean | Date | Buffer | null

/**
 * A Postgres array literal, for a parameter such as `$1::text[]`. `pg` serializes lists itself, but also escapes numbers
 * and ids, which takes two to four times as long; this runs for every event and attempt.
 */
export function arrayLiteral(elements: readonly ArrayElement[]): string {
  return literalOf(elements, (element) => element)
}

/**
 * An array literal of one column of the rows. If every value is null, it is `null`, which a parallel `unnest` pads with
 * nulls.
 */
export function columnLiteral<Row>(
  rows: readonly Row[],
  elementOf: (row: Row) => ArrayElement,
): string | null {
  return rows.every((row) => elementOf(row) === null) ? null : literalOf(rows, elementOf)
}

/** Neighbouring rows often have equal values, so the last literal is reused. */
function literalOf<Row>(rows: readonly Row[], elementOf: (row: Row) => ArrayElement): string {
  let last: ArrayElement = null
  let literal = 'NULL'
  const literals = rows.map((row) => {
    const element = elementOf(row)
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
