/** The parsed options of the command line, with defaults. */
export interface ListenOptions {
  readonly port: number
  readonly register?: true
  /** The local server that gets the deliveries. */
  readonly forward?: URL
  /** The public id of a stored delivery or event. */
  readonly replay?: string
  /** A folder. */
  readonly save?: string
  readonly event?: readonly string[]
  readonly server?: string
  readonly keyFile?: string
  readonly secret?: readonly string[]
  readonly fail: number
  readonly status: number
  /** Milliseconds. */
  readonly delay: number
  readonly count?: number
  readonly json?: true
}
