import os from 'node:os'

/** Further facts of a row. */
export interface RowOptions {
  /** The limit of the value or, with `of`, of its share of another value of the same run. */
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  readonly of?: { readonly name: string; readonly value: number } | undefined
  /** Further numbers of the same measurement, by name. */
  readonly also?: Readonly<Record<string, number>> | undefined
}

interface Row extends RowOptions {
  /** The letter of its scenario. */
  readonly scenario: string
  readonly name: string
  readonly value: number
  readonly unit: string
}

export type Report = ReturnType<typeof createReport>

/** Prints each row immediately, and all rows as a table at the end. */
export function createReport() {
  const rows: Row[] = []
  return {
    add(scenario: string, name: string, value: number, unit: string, options: RowOptions = {}) {
      const row = { scenario, name, value, unit, ...options }
      rows.push(row)
      console.log(toText(row))
    },
    end: (tookMs: number) => printTable(rows, tookMs),
  }
}

function printTable(rows: readonly Row[], tookMs: number): void {
  const bounded = rows.filter((row) => meetsBound(row) !== null)
  const cpu = os.cpus()[0]?.model.trim() ?? os.arch()
  const memoryGb = Math.round(os.totalmem() / 1e9)
  console.log(
    `\n${os.availableParallelism()} × ${cpu}, ${memoryGb} GB, Node ${process.versions.node}`,
  )
  for (const row of rows) console.log(toText(row))
  const met = bounded.filter(meetsBound).length
  console.log(`\n${met} of ${bounded.length} bounds met in ${Math.round(tookMs / 1_000)} s`)
}

/** `null`: it has no bound. */
function meetsBound({ value, of, atLeast, atMost }: Row): boolean | null {
  const compared = of ? value / of.value : value
  if (atLeast !== undefined) return compared >= atLeast
  return atMost === undefined ? null : compared <= atMost
}

function toText(row: Row): string {
  const { scenario, name, value, unit, also = {} } = row
  const cells = [
    scenario.padEnd(2),
    name.padEnd(60),
    (Number.isFinite(value) ? `${show(value)} ${unit}` : 'never').padStart(18),
    meetsBound(row) === null ? '' : `${meetsBound(row) ? '✔' : '✘'} ${describeBound(row)}`,
  ]
  const more = Object.entries(also)
    .filter(([, n]) => !Number.isNaN(n))
    .map(([key, n]) => `${key} ${show(n)}`)
  return cells.join(' ').trimEnd() + (more.length > 0 ? `  (${more.join(', ')})` : '')
}

function describeBound({ value, of, atLeast, atMost = Number.NaN }: Row): string {
  const limit = atLeast === undefined ? `at most ${show(atMost)}` : `at least ${show(atLeast)}`
  if (!of || !Number.isFinite(value)) return limit + (of ? ` of ${of.name}` : '')
  return `${show(value / of.value)} of ${of.name}; ${limit}`
}

/** With three significant digits, and all digits of the whole part: more would suggest a false precision. */
function show(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en', PRECISION) : 'never'
}

const PRECISION = {
  maximumSignificantDigits: 3,
  maximumFractionDigits: 0,
  roundingPriority: 'morePrecision',
} as const
