import type { Role, Settings } from '../config/settings.ts'
import { type Provisioned, provision } from '../embedded/provision.ts'
import { startApp } from './app.ts'

/** What runs in a process. Disposing of it finishes what is in flight. */
export interface Running extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** Creates the organization and the API key of embedded mode on the first start. Only with the API. */
  provision(dataDir: string): Promise<Provisioned>
  /** Makes a shutdown unclaim the jobs in flight instead of finishing them. */
  abort(): void
}

/** Runs a role on the main thread. A fault ends the process, which its process manager starts again. */
export async function startAlone(
  settings: Settings,
  { role, hasStarted }: { readonly role: Role; readonly hasStarted: () => boolean },
): Promise<Running> {
  const app = await startApp(settings, {
    role,
    rest: {
      readiness: async () => (hasStarted() ? {} : { start: false }),
      metrics: async () => [],
    },
  })
  return {
    url: app.url,
    provision: (dataDir) => provision(app.services, dataDir),
    abort: () => app.abort(),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
