import { explainFailure } from '../db/explain-failure.ts'
import { openPosthorn, warnOfEgress } from './open-posthorn.ts'
import { type PosthornOptions, readOptions, withOptionNames } from './options.ts'

export type { PosthornOptions } from './options.ts'

/** Posthorn in this process. Disposing of it finishes the requests and attempts in flight, and closes everything. */
export interface Posthorn extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
}

/**
 * Runs Posthorn in this process, as `posthorn start` does, on threads of its own. Resolves when it is ready, after it has
 * migrated the database. It reads no environment variables but those of OpenTelemetry and no `.env`, handles no signals
 * and never ends the process. A process can run several, each with a port of its own.
 *
 * Without `databaseUrl`, it uses an embedded Postgres in `dataDir`; with it, `encryptionKeys` is required.
 *
 * Rejects with an error that says what to change: every wrong option at once, a port in use, a database that cannot be
 * reached.
 *
 * @example
 * await using posthorn = await startPosthorn({
 *   databaseUrl: process.env.DATABASE_URL,
 *   encryptionKeys: process.env.POSTHORN_ENCRYPTION_KEYS,
 *   port: 4000,
 * })
 */
export async function startPosthorn(options: PosthornOptions = {}): Promise<Posthorn> {
  try {
    const { environment, ...others } = readOptions(options)
    const posthorn = await openPosthorn(environment, { ...others, isGuest: true })
    warnOfEgress(posthorn)
    return { url: posthorn.url, [Symbol.asyncDispose]: () => posthorn[Symbol.asyncDispose]() }
  } catch (error) {
    throw new Error(withOptionNames(explainFailure(error)), { cause: error })
  }
}
