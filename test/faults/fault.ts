import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { IN_FLIGHT, type Member } from './members.ts'
import type { OwnPostgres } from './own-postgres.ts'

/** What a fault can hit. */
export interface World {
  readonly postgres: OwnPostgres
  readonly members: readonly Member[]
  readonly chance: () => number
}

/** Something that goes wrong, and is over when `happen` resolves: what was ended runs again. */
export interface Fault {
  readonly name: string
  /** Whether it leaves jobs claimed that only a rescue makes available: other processes wait 12 to 15 s for a heartbeat. */
  readonly needsRescue: boolean
  /** How many deliveries it can double at most: the attempts in flight where it strikes. */
  bound(world: World): number
  happen(world: World): Promise<void>
}

/** The kinds of faults. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of a worker',
    needsRescue: true,
    bound: () => IN_FLIGHT,
    happen: async (world) => await killAndRestart(world, [oneWorker(world)]),
  },
  {
    name: 'kill -9 of the API',
    needsRescue: true,
    bound: (world) => inFlightOf([api(world)]),
    happen: async (world) => await killAndRestart(world, [api(world)]),
  },
  {
    name: 'kill -9 of the API and a worker',
    needsRescue: true,
    bound: () => IN_FLIGHT,
    happen: async (world) =>
      await killAndRestart(world, [...new Set([api(world), oneWorker(world)])]),
  },
  {
    name: 'kill -9 of everything but Postgres',
    needsRescue: true,
    bound: ({ members }) => inFlightOf(members),
    happen: async (world) => await killAndRestart(world, world.members),
  },
  {
    name: 'kill -9 of Postgres',
    needsRescue: false,
    bound: ({ members }) => inFlightOf(members),
    async happen({ postgres, chance }) {
      await postgres.kill()
      await sleep(chance() * 1_500)
      await postgres.start()
    },
  },
  {
    name: 'immediate shutdown of Postgres',
    needsRescue: false,
    bound: ({ members }) => inFlightOf(members),
    async happen({ postgres, chance }) {
      await postgres.stop('immediate')
      await sleep(chance() * 1_500)
      await postgres.start()
    },
  },
  {
    name: 'all connections broken',
    needsRescue: false,
    bound: ({ members }) => inFlightOf(members),
    async happen({ postgres }) {
      await postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'posthorn%' and pid <> pg_backend_pid()`,
      )
    },
  },
  {
    name: 'a worker frozen for a moment',
    needsRescue: false,
    // Answers that come while it stands still may find their deadline passed.
    bound: () => IN_FLIGHT,
    happen: async (world) => await oneWorker(world).freezeFor(1_000 + world.chance() * 3_000),
  },
  {
    name: 'a worker frozen past its rescue',
    needsRescue: true,
    // It fences itself when it goes on: what was in flight was sent by others meanwhile, and nothing else.
    bound: () => IN_FLIGHT,
    happen: async (world) => await oneWorker(world).freezeFor(15_000 + world.chance() * 5_000),
  },
  {
    name: 'a worker cut off from Postgres for 15 s',
    needsRescue: true,
    bound: () => IN_FLIGHT,
    async happen(world) {
      const { network } = oneWorker(world)
      network.hold()
      await sleep(15_000)
      network.release()
    },
  },
  {
    name: 'a machine vanished, connections open',
    needsRescue: true,
    bound: () => IN_FLIGHT,
    async happen(world) {
      const worker = oneWorker(world)
      worker.network.silence()
      await sleep(world.chance() * 15_000)
      await worker.kill()
      // Postgres is not told: for it the old connections stay open.
      worker.network.abandon()
      worker.start()
    },
  },
  {
    name: 'SIGTERM of a worker',
    needsRescue: false,
    bound: () => 0,
    async happen(world) {
      const worker = oneWorker(world)
      await worker.terminate().finally(() => worker.start())
    },
  },
  {
    name: 'rolling restart of the workers',
    needsRescue: false,
    bound: () => 0,
    async happen(world) {
      for (const worker of workers(world)) {
        await worker.terminate().finally(() => worker.start())
        await until(() => worker.isReady(), `${worker.name} is ready again`, 30_000)
      }
    },
  },
]

async function killAndRestart({ chance }: World, members: readonly Member[]): Promise<void> {
  await Promise.all(members.map((member) => member.kill()))
  await sleep(chance() * 1_500)
  for (const member of members) member.start()
}

function inFlightOf(members: readonly Member[]): number {
  return members.filter(({ role }) => role !== 'api').length * IN_FLIGHT
}

function workers({ members }: World): Member[] {
  return members.filter(({ role }) => role !== 'api')
}

function oneWorker(world: World): Member {
  const all = workers(world)
  return all[Math.floor(world.chance() * all.length)] as Member
}

function api({ members }: World): Member {
  return members.find(({ role }) => role !== 'worker') as Member
}
