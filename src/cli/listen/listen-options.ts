import { verify } from '../../receiver/index.ts'

/** The parsed options of the command line, with defaults. */
export interface ListenOptions {
  readonly port: number
  readonly register?: true
  /** The local server that gets the deliveries. */
  readonly forward?: URL
  /** The public id of a stored delivery or event. */
  readonly replay?: string
  /** Whether the local server may have any certificate. */
  readonly insecure?: true
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

/** Throws for options that have no effect together, and for a malformed secret. */
export async function checkOptions(options: ListenOptions): Promise<void> {
  const forForward = (['replay', 'save', 'insecure'] as const).find(
    (name) => options[name] !== undefined,
  )
  if (forForward && !options.forward) throw new Error(`--${forForward} requires --forward.`)
  const forServer = (['event', 'server', 'keyFile'] as const).find((name) => options[name])
  if (forServer && !options.register && !options.forward) {
    const name = forServer === 'keyFile' ? 'key-file' : forServer
    throw new Error(`--${name} requires --register or --forward.`)
  }
  // Throws for a malformed secret, with a message that does not contain the secret.
  if (options.secret) await verify('', {}, options.secret)
}
