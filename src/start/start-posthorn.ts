import { explainFailure } from '../db/explain-failure.ts'
import { readGeneratedSecret } from '../lib/generated-secret.ts'
import type { HostEvent, HostPublished } from '../run/publish-for-host.ts'
import { openPosthorn, warnOfEgress } from './open-posthorn.ts'
import { type PosthornOptions, readOptions, withOptionNames } from './options.ts'

export type { HostEvent, HostPublished } from '../run/publish-for-host.ts'
export type { PosthornOptions } from './options.ts'

/** Posthorn in this process. Disposing of it finishes the requests and attempts in flight, and closes everything. */
export interface Posthorn extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** The URL of its database, with the password, for your own SQL: `posthorn.publish_event` in your transaction. */
  readonly databaseUrl: string
  /** The API key of embedded mode, with all scopes. Null with `databaseUrl`, and for a worker. */
  readonly apiKey: string | null
  /**
   * Publishes an event by the rules of the mutation `publishEvent`. Rejects with what is wrong with the event, and for a
   * process of the role `worker`.
   */
  publish(event: HostEvent): Promise<HostPublished>
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
 *   databaseUrl: 'postgres://posthorn:secret@db.internal/app',
 *   encryptionKeys: process.env.POSTHORN_ENCRYPTION_KEYS ?? '',
 *   port: 4000,
 * })
 * await posthorn.publish({ type: 'order.paid', data: { order: 9001 } })
 */
export async function startPosthorn(options: PosthornOptions = {}): Promise<Posthorn> {
  if (Number.parseInt(process.versions.node, 10) < 24) {
    throw new Error(`posthorn needs Node 24 or newer; this is ${process.version}.`)
  }
  try {
    const { environment, ...others } = readOptions(options)
    const posthorn = await openPosthorn(environment, { ...others, isGuest: true })
    warnOfEgress(posthorn)
    const { url, databaseUrl, provisioned, publish } = posthorn
    const apiKey = provisioned && (await readGeneratedSecret(provisioned.keyFile))
    return {
      ...{ url, databaseUrl, apiKey, publish },
      [Symbol.asyncDispose]: () => posthorn[Symbol.asyncDispose](),
    }
  } catch (error) {
    throw new Error(withOptionNames(explainFailure(error)), { cause: error })
  }
}
