import type { BenchReceiver } from './bench-receiver.ts'
import type { BenchServer } from './bench-server.ts'
import type { Row } from './row.ts'
import type { Sizes } from './sizes.ts'

/** What every scenario works with. */
export interface Bench {
  readonly server: BenchServer
  readonly receiver: BenchReceiver
  readonly sizes: Sizes
  /** Where the processes measured leave a processor profile; null: they make none. */
  readonly profileFolder: string | null
  /** Prints a row and keeps it for the table. */
  report(row: Row): void
}

/** A measurement that others compare theirs with: made when it is first asked for, then remembered. */
export function oncePerBench<Found>(
  measure: (bench: Bench) => Promise<Found>,
): (bench: Bench) => Promise<Found> {
  const found = new WeakMap<Bench, Promise<Found>>()
  return (bench) => {
    const known = found.get(bench) ?? measure(bench)
    found.set(bench, known)
    return known
  }
}
