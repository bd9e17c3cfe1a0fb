type Cell = string | number | boolean | null | undefined

export interface ExportColumn<Row> {
  readonly name: string
  value(row: Row): Cell
}

/** One row of CSV (RFC 4180), with its line end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return String(cell ?? '')
  // A spreadsheet would run a text that begins so as a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One row of JSON lines, with its line end. */
export function jsonLine<Row>(columns: readonly ExportColumn<Row>[], row: Row): string {
  const object = Object.fromEntries(columns.map(({ name, value }) => [name, value(row) ?? null]))
  return `${JSON.stringify(object)}\n`
}
