import { expect, test } from 'vitest'
import { csvLine } from '../../../src/console/exports/csv.ts'
import {
  type ExportSource,
  type ExportState,
  exportRows,
  MAX_ROWS,
  newExport,
} from '../../../src/console/exports/export-rows.ts'

interface Row {
  readonly n: number
}

/** Pages of `size` rows, `pages` of them. Fails at the page `broken`, once. */
function sourceOf(pages: number, size: number, broken = -1): ExportSource<Row> {
  let failing = broken
  return {
    name: 'deliveries',
    columns: [
      { name: 'n', value: ({ n }) => n },
      { name: 'text', value: ({ n }) => `a, "${n}"` },
    ],
    async load(after) {
      const page = Number(after ?? 0)
      if (page === failing) {
        failing = -1
        throw new Error('Posthorn is unreachable.')
      }
      const rows = Array.from({ length: size }, (_, i) => ({ n: page * size + i }))
      return { rows, next: page + 1 < pages ? String(page + 1) : null }
    },
  }
}

async function ends(
  source: ExportSource<Row>,
  begun = newExport('csv', source),
  signal = new AbortController().signal,
): Promise<ExportState> {
  const states: ExportState[] = []
  await exportRows(source, begun, signal, (state) => states.push(state))
  return states.at(-1) as ExportState
}

test('an export reads every page, in CSV or in JSON lines', async () => {
  const csv = await ends(sourceOf(2, 1))
  expect(csv).toMatchObject({ state: 'done', count: 2 })
  expect(csv.parts.join('')).toBe('n,text\r\n0,"a, ""0"""\r\n1,"a, ""1"""\r\n')
  const source = sourceOf(1, 2)
  const lines = await ends(source, newExport('jsonl', source))
  expect(lines.parts.join('')).toBe('{"n":0,"text":"a, \\"0\\""}\n{"n":1,"text":"a, \\"1\\""}\n')
})

test('an export that breaks off keeps what it read, and goes on without a gap', async () => {
  const source = sourceOf(3, 2, 1)
  const broken = await ends(source)
  expect(broken).toMatchObject({ state: 'broken', count: 2, reason: 'Posthorn is unreachable.' })
  const whole = await ends(source, broken)
  expect(whole).toMatchObject({ state: 'done', count: 6 })
  expect(whole.parts.join('').match(/^\d/gm)).toEqual(['0', '1', '2', '3', '4', '5'])
})

test('an export that is stopped reads no further page', async () => {
  const controller = new AbortController()
  controller.abort()
  const source = sourceOf(3, 2)
  expect(await ends(source, newExport('csv', source), controller.signal)).toMatchObject({
    state: 'stopped',
    count: 0,
  })
})

test('an export ends at its limit, and says so only if more rows match', async () => {
  expect(await ends(sourceOf(3, MAX_ROWS / 2))).toMatchObject({ state: 'limit', count: MAX_ROWS })
  expect(await ends(sourceOf(2, MAX_ROWS / 2))).toMatchObject({ state: 'done', count: MAX_ROWS })
})

test('no text becomes a formula of a spreadsheet', () => {
  expect(csvLine(['=1+1', '-x', -5, null, true])).toBe(`'=1+1,'-x,-5,,true\r\n`)
})
