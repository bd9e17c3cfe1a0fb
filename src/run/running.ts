import type { Settings } from '../config/settings.ts'
import type { Provisioned } from '../embedded/provision.ts'
import type { Logger } from '../telemetry/logger.ts'

/** What is to run in a process, while its modules are loaded. Disposing of it ends what was not started. */
export interface LoadingParts extends AsyncDisposable {
  /** Rejects if the first start of a part fails. */
  start(settings: Settings, options: PartsOptions): Promise<Running>
}

export interface PartsOptions {
  readonly logger: Logger
  /** Whether the main thread has finished its own start. `/readyz` reports unavailable until then. */
  readonly hasStarted: () => boolean
}

/** What runs in a process. Disposing of it finishes what is in flight. */
export interface Running extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** Creates the organization and the API key of embedded mode on the first start. Only with the API. */
  provision(dataDir: string): Promise<Provisioned>
  /** Makes a shutdown unclaim the jobs in flight instead of finishing them. */
  abort(): void
}
