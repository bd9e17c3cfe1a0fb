import type { Config, Secrets } from './config.ts'

/** What one process of Posthorn is for: both, only the API, or only deliveries. */
export type Role = 'all' | 'api' | 'worker'

/** A complete configuration: the database and the encryption keys are known. */
export interface Settings {
  readonly config: Config
  readonly secrets: Secrets & {
    readonly databaseUrl: string
    readonly encryptionKeys: readonly Uint8Array[]
  }
  /** Certificate authorities to trust besides those of the configuration, as PEM. */
  readonly trustedAuthorities?: readonly string[]
}

/** A part of the heap of a thread, in bytes. What takes memory by the size of its input has such a bound. */
export function heapShare({ maxHeapMb }: Pick<Config, 'maxHeapMb'>, share: number): number {
  return maxHeapMb * 1024 * 1024 * share
}
