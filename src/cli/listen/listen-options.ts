/** What was given on the command line, defaults filled in. */
export interface ListenOptions {
  readonly port: number
  readonly register?: true
  readonly event?: readonly string[]
  readonly server?: string
  readonly key?: string
  readonly secret?: readonly string[]
  readonly fail: number
  readonly status: number
  /** In milliseconds. */
  readonly delay: number
  readonly count?: number
  readonly json?: true
}
