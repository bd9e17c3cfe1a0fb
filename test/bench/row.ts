/** One line of the report. */
export interface Row {
  /** The letter of its scenario. */
  readonly scenario: string
  readonly name: string
  readonly value: number
  readonly unit: '/s' | 'µs' | 'ms' | 'ms/s' | 'MB' | 'MiB' | 'statements'
  readonly bound?: Bound
  /** Further numbers of the same measurement, by name. */
  readonly also?: Readonly<Record<string, number>>
}

/** The limit of a value: a number or, with `of`, a share of another value of the same run. */
export interface Bound {
  readonly kind: 'at least' | 'at most'
  readonly limit: number
  readonly of?: { readonly name: string; readonly value: number }
}

export function meetsBound({ value, bound }: Row): boolean | null {
  if (!bound) return null
  const compared = bound.of ? value / bound.of.value : value
  return bound.kind === 'at least' ? compared >= bound.limit : compared <= bound.limit
}

/** The row in the JSON report. */
export function toJson(row: Row): object {
  const { scenario, name, value, unit, bound, also } = row
  return {
    scenario,
    name,
    value: round(value),
    unit,
    ...(bound?.of && { ratio: round(value / bound.of.value), ratioTo: bound.of.name }),
    ...(bound && { [bound.kind === 'at least' ? 'atLeast' : 'atMost']: bound.limit }),
    ...(bound && { met: meetsBound(row) }),
    ...(also && {
      also: Object.fromEntries(Object.entries(also).map(([key, n]) => [key, round(n)])),
    }),
  }
}

/** The row as a line of text. */
export function toText(row: Row): string {
  const { scenario, name, value, unit, bound, also } = row
  const cells = [
    scenario.padEnd(2),
    name.padEnd(NAME_WIDTH),
    (Number.isFinite(value) ? `${show(value)} ${unit}` : 'never').padStart(18),
    bound ? `${meetsBound(row) ? '✔' : '✘'} ${describeBound(value, bound)}` : '',
  ]
  const more = Object.entries(also ?? {})
    .filter(([, n]) => !Number.isNaN(n))
    .map(([key, n]) => `${key} ${show(n)}`)
  return cells.join(' ').trimEnd() + (more.length > 0 ? `  (${more.join(', ')})` : '')
}

const NAME_WIDTH = 60

function describeBound(value: number, { kind, limit, of }: Bound): string {
  if (!of || !Number.isFinite(value)) return `${kind} ${show(limit)}${of ? ` of ${of.name}` : ''}`
  return `${show(value / of.value)} of ${of.name}; ${kind} ${show(limit)}`
}

function show(value: number): string {
  if (!Number.isFinite(value)) return 'never'
  return round(value).toLocaleString('en')
}

/** Rounds to three significant digits; more would suggest a false precision. */
function round(value: number): number {
  if (!Number.isFinite(value)) return value
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}
