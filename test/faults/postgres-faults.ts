import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { inFlightOf } from './members.ts'

export const POSTGRES_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of Postgres',
    subject: 'Postgres',
    needsRescue: false,
    maxDuplicates: ({ members }) => inFlightOf(members),
    async inject({ postgres, random }) {
      await postgres.kill()
      await sleep(random() * 1_500)
      await postgres.start()
    },
  },
  {
    name: 'immediate shutdown of Postgres',
    subject: 'Postgres',
    needsRescue: false,
    maxDuplicates: ({ members }) => inFlightOf(members),
    async inject({ postgres, random }) {
      await postgres.stop('immediate')
      await sleep(random() * 1_500)
      await postgres.start()
    },
  },
  {
    name: 'all connections broken',
    subject: 'Postgres',
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
