import type { Settings } from '../config/settings.ts'
import type { Checks } from '../server/operator-routes.ts'
import type { MetricsSnapshot } from '../telemetry/metrics.ts'
import type { Provisioned } from './embedded/provision.ts'
import type { HostEvent, HostPublished } from './publish-for-host.ts'

/** What a thread of the process runs. With little memory, one thread runs both. */
export type ThreadRole = 'api' | 'worker' | 'all'

/** The functions of a thread, for the main thread. */
export interface RoleThread {
  /** Starts the role, after this many restarts. Returns the URL of its server, which is empty without one. */
  start(settings: Settings, restarts: number): Promise<string>
  /** See `Running`. */
  provision(dataDir: string): Promise<Provisioned>
  publish(event: HostEvent): Promise<HostPublished>
  /** Answers as soon as the event loop of the thread turns. */
  ping(): void
  /** Whether the thread claims jobs. */
  workerChecks(): Checks
  metrics(): Promise<MetricsSnapshot>
  /** Finishes what is in flight; then the thread ends. */
  stop(): void
  /** Makes `stop` abort the attempts in flight and unclaim their jobs. */
  abort(): void
}

/** What a thread knows from its beginning. */
export interface ThreadPart {
  readonly role: ThreadRole
  /** Whether the thread serves the address of the process. */
  readonly listens: boolean
}

/** The functions of the thread that started another, for that one. */
export interface MainThread {
  /** What `/readyz` reports about the rest of the process. */
  readiness(): Promise<Checks>
  /** The metrics of the other threads. A thread that does not answer is left out. */
  otherMetrics(): Promise<readonly MetricsSnapshot[]>
}
