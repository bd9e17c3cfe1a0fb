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

/** Prints each row immediately, and at the end the machine and how many bounds were met. */
export function createReport() {
  const met: boolean[] = []
  return {
    add(scenario: string, name: string, value: number, unit: string, options: RowOptions = {}) {
      const row = { scenario, name, value, unit, ...options }
      const isMet = meetsBound(row)
      if (isMet !== null) met.push(isMet)
      console.log(toText(row))
    },
    end(tookMs: number) {
      const cpu = os.cpus()[0]?.model.trim() ?? os.arch()
      const memoryGb = Math.round(os.totalmem() / 1e9)
      const node = process.versions.node
      console.log(`\n${os.availableParallelism()} × ${cpu}, ${memoryGb} GB, Node ${node}`)
      const { length } = met.filter(Boolean)
      console.log(`${length} of ${met.length} bounds met in ${Math.round(tookMs / 1_000)} s`)
    },
  }
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
