import type { BenchReceiver } from './bench-receiver.ts'
import type { BenchServer } from './bench-server.ts'
import type { Row } from './row.ts'
import type { Sizes } from './sizes.ts'

/** The environment of every scenario. */
export interface Bench {
  readonly server: BenchServer
  readonly receiver: BenchReceiver
  readonly sizes: Sizes
  /** The folder for CPU profiles of the measured processes, or `null` for none. */
  readonly profileFolder: string | null
  /** Prints a row and adds it to the table. */
  report(row: Row): void
}
