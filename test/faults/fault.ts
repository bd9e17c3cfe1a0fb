import { setTimeout as sleep } from 'node:timers/promises'
import { apiOf, IN_FLIGHT, inFlightOf, type Member, workersOf } from './members.ts'
import type { PostgresServer } from './postgres-server.ts'

/** What a fault can hit, and its source of random numbers. */
export interface FaultContext {
  readonly postgres: PostgresServer
  readonly members: readonly Member[]
  readonly random: () => number
}

/** A kind of fault. It is over when `inject` resolves, and everything that was stopped runs again. */
export interface Fault {
  readonly name: string
  /** Whether claimed jobs need a rescue, which starts 12 to 15 s after the last heartbeat. */
  readonly needsRescue: boolean
  /** The maximum number of duplicates it can cause: the attempts in flight in the processes it hits. */
  maxDuplicates(context: FaultContext): number
  inject(context: FaultContext): Promise<void>
}

/** Each in a round of its own. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of a worker',
    needsRescue: true,
    maxDuplicates: () => IN_FLIGHT,
    inject: async (context) => await killAndRestart(context, [oneWorker(context)]),
  },
  {
    name: 'kill -9 of the API',
    needsRescue: true,
    maxDuplicates: (context) => inFlightOf([apiOf(context.members)]),
    inject: async (context) => await killAndRestart(context, [apiOf(context.members)]),
  },
  {
    name: 'kill -9 of everything but Postgres',
    needsRescue: true,
    maxDuplicates: ({ members }) => inFlightOf(members),
    inject: async (context) => await killAndRestart(context, context.members),
  },
  {
    name: 'a worker frozen past its rescue',
    needsRescue: true,
    // When it resumes, its claims are lost, so only the attempts in flight at the start of the freeze are repeated.
    maxDuplicates: () => IN_FLIGHT,
    inject: async (context) =>
      await oneWorker(context).freezeFor(15_000 + context.random() * 5_000),
  },
  {
    name: 'a worker cut off from Postgres for 15 s',
    needsRescue: true,
    maxDuplicates: () => IN_FLIGHT,
    async inject(context) {
      const { network } = oneWorker(context)
      network.pause()
      await sleep(15_000)
      network.resume()
    },
  },
  {
    name: 'a machine lost, connections open',
    needsRescue: true,
    maxDuplicates: () => IN_FLIGHT,
    async inject(context) {
      const worker = oneWorker(context)
      worker.network.blackhole()
      await sleep(context.random() * 15_000)
      await worker.kill()
      // Postgres keeps the old connections open, as nothing closes them.
      worker.network.restoreForNewConnections()
      worker.start()
    },
  },
  {
    name: 'SIGTERM of a worker',
    needsRescue: false,
    maxDuplicates: () => 0,
    async inject(context) {
      const worker = oneWorker(context)
      await worker.terminate().finally(() => worker.start())
    },
  },
  {
    name: 'kill -9 of Postgres',
    needsRescue: false,
    maxDuplicates: ({ members }) => inFlightOf(members),
    async inject({ postgres, random }) {
      await postgres.kill()
      await sleep(random() * 1_500)
      await postgres.start()
    },
  },
  {
    name: 'all connections broken',
    needsRescue: false,
    maxDuplicates: ({ members }) => inFlightOf(members),
    async inject({ postgres }) {
      await postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'posthorn%' and pid <> pg_backend_pid()`,
      )
    },
  },
]

async function killAndRestart({ random }: FaultContext, members: readonly Member[]): Promise<void> {
  await Promise.all(members.map((member) => member.kill()))
  await sleep(random() * 1_500)
  for (const member of members) member.start()
}

function oneWorker(context: FaultContext): Member {
  const all = workersOf(context.members)
  return all[Math.floor(context.random() * all.length)] as Member
}
