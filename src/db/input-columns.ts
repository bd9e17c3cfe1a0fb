import { type ArrayElement, columnLiteral } from './array-literal.ts'

/** The columns of rows that are the input of a statement: for each its type, and its value in a row. */
export type ColumnsOf<Row> = Readonly<
  Record<string, readonly [type: string, elementOf: (row: Row) => ArrayElement]>
>

/** Rows as parameters of a statement, one array a column: `select … from unnest(${parameters}) as t (${names})`. */
interface InputColumns<Row> {
  readonly names: string
  /** Beginning with the parameter `first`. */
  readonly parameters: string
  /** The number of the next parameter. */
  readonly end: number
  values(rows: readonly Row[]): (string | null)[]
}

export function inputColumns<Row>(columns: ColumnsOf<Row>, first: number): InputColumns<Row> {
  const entries = Object.values(columns)
  return {
    names: namesOf(columns),
    parameters: entries.map(([type], i) => `$${first + i}::${type}[]`).join(', '),
    end: first + entries.length,
    values: (rows) => entries.map(([, elementOf]) => columnLiteral(rows, elementOf)),
  }
}

export function namesOf(columns: ColumnsOf<never>): string {
  return Object.keys(columns).join(', ')
}
