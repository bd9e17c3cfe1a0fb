/** The parsed options of the command line, with defaults. */
export interface ListenOptions {
  readonly port: number
  readonly register?: true
  readonly event?: readonly string[]
  readonly server?: string
  readonly key?: string
  readonly secret?: readonly string[]
  readonly fail: number
  readonly status: number
  /** Milliseconds. */
  readonly delay: number
  readonly count?: number
  readonly json?: true
}
