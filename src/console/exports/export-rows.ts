import { csvLine, type ExportColumn, jsonLine } from './csv.ts'

export type ExportFormat = 'csv' | 'jsonl'

interface ExportPage<Row> {
  readonly rows: readonly Row[]
  /** Where the next page begins. Null after the last one. */
  readonly next: string | null
}

export interface ExportSource<Row> {
  /** The name of the file and of the dialog. */
  readonly name: 'deliveries' | 'attempts'
  readonly columns: readonly ExportColumn<Row>[]
  /** Reads a page. Throws an error whose message names the reason. */
  load(after: string | null): Promise<ExportPage<Row>>
}

export interface ExportState {
  readonly format: ExportFormat
  /** The text so far, a part for each page. */
  readonly parts: readonly string[]
  readonly count: number
  /** Where to go on. */
  readonly next: string | null
  readonly state: 'reading' | 'done' | 'limit' | 'stopped' | 'broken'
  /** Why it broke off. */
  readonly reason?: string
}

/** An export ends at this many rows, which the browser keeps in memory. */
export const MAX_ROWS = 100_000

export function newExport<Row>(format: ExportFormat, source: ExportSource<Row>): ExportState {
  const header = format === 'csv' ? [csvLine(source.columns.map(({ name }) => name))] : []
  return { format, parts: header, count: 0, next: null, state: 'reading' }
}

/**
 * Reads page after page, and reports each, until all rows are read or the signal stops it. What breaks off can go on from
 * its last page.
 */
export async function exportRows<Row>(
  source: ExportSource<Row>,
  begun: ExportState,
  signal: AbortSignal,
  report: (state: ExportState) => void,
): Promise<void> {
  let current: ExportState = { ...begun, state: 'reading' }
  report(current)
  for (;;) {
    if (signal.aborted) return report({ ...current, state: 'stopped' })
    let page: ExportPage<Row>
    try {
      page = await source.load(current.next)
    } catch (error) {
      return report({ ...current, state: 'broken', reason: (error as Error).message })
    }
    current = withPage(source, current, page)
    if (current.state !== 'reading') return report(current)
    report(current)
  }
}

function withPage<Row>(
  { columns }: ExportSource<Row>,
  current: ExportState,
  { rows, next }: ExportPage<Row>,
): ExportState {
  const fitting = rows.slice(0, MAX_ROWS - current.count)
  const text = fitting
    .map((row) =>
      current.format === 'csv'
        ? csvLine(columns.map(({ value }) => value(row)))
        : jsonLine(columns, row),
    )
    .join('')
  const count = current.count + fitting.length
  const isCut = next !== null && count >= MAX_ROWS
  return {
    ...current,
    parts: [...current.parts, text],
    count,
    next,
    state: isCut || fitting.length < rows.length ? 'limit' : next === null ? 'done' : 'reading',
  }
}
