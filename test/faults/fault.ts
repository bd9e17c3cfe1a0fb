import { ENVIRONMENT_FAULTS } from './environment-faults.ts'
import type { Member } from './members.ts'
import type { NameServer } from './names.ts'
import { NETWORK_FAULTS } from './network-faults.ts'
import { POSTGRES_FAULTS } from './postgres-faults.ts'
import type { PostgresServer } from './postgres-server.ts'
import { PROCESS_FAULTS } from './process-faults.ts'
import type { TcpProxy } from './tcp-proxy.ts'

/** What a fault can hit, and its source of random numbers. */
export interface FaultContext {
  readonly postgres: PostgresServer
  readonly members: readonly Member[]
  readonly nameServer: NameServer
  /** The network between the workers and the receiver. */
  readonly receiverNetwork: TcpProxy
  /** The network between the publisher and the API. */
  readonly apiNetwork: TcpProxy
  readonly random: () => number
  /** Adds to the duplicates that the fault may cause. */
  readonly allowDuplicates: (count: number) => void
}

/** A kind of fault. It is over when `inject` resolves, and everything that was stopped runs again. */
export interface Fault {
  readonly name: string
  /** Two faults with the same subject cannot happen together. */
  readonly subject:
    | 'processes'
    | 'Postgres'
    | 'API–Postgres'
    | 'worker–Postgres'
    | 'worker–receiver'
    | 'publisher–API'
    | 'DNS'
    | 'disk'
    | 'clock'
  /** Whether claimed jobs need a rescue, which starts 12 to 15 s after the last heartbeat. */
  readonly needsRescue: boolean
  /** Why it cannot be injected here, or null. Default: null. */
  readonly missing?: string | null
  /** The maximum number of duplicates it can cause: the attempts in flight in the processes it hits. */
  maxDuplicates(context: FaultContext): number
  inject(context: FaultContext): Promise<void>
}

/** Each in a round of its own. */
export const SINGLE_FAULTS: readonly Fault[] = [...PROCESS_FAULTS, ...POSTGRES_FAULTS]

/** Several in each round. */
export const ALL_FAULTS: readonly Fault[] = [
  ...SINGLE_FAULTS,
  ...NETWORK_FAULTS,
  ...ENVIRONMENT_FAULTS,
]
