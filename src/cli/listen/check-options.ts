import { verify } from '../../receiver/index.ts'
import type { ListenOptions } from './listen-options.ts'

/** Throws for options that have no effect together, and for a malformed secret. */
export async function checkOptions(options: ListenOptions): Promise<void> {
  const forForward = (['replay', 'save'] as const).find((name) => options[name] !== undefined)
  if (forForward && !options.forward) throw new Error(`--${forForward} requires --forward.`)
  const forServer = (['event', 'server', 'keyFile'] as const).find((name) => options[name])
  if (forServer && !options.register && !options.forward) {
    const name = forServer === 'keyFile' ? 'key-file' : forServer
    throw new Error(`--${name} requires --register or --forward.`)
  }
  // Throws for a malformed secret, with a message that does not contain the secret.
  if (options.secret) await verify('', {}, options.secret)
}
