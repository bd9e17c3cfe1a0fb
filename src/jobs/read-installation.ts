import type { Sql } from '../db/client.ts'
import { IN_STATE, IS_POSTHORN_JOB } from './job.ts'

/** The state of the installation, for operators. */
export interface Installation {
  readonly workers: number
  /** Null if no worker has said it. */
  readonly attemptsInFlight: number | null
  readonly concurrency: number | null
  readonly readyJobs: number
  readonly oldestReadyAt: Date | null
  readonly postgresVersion: string
  readonly databaseBytes: number
  readonly connections: number
  readonly maxConnections: number
}

/** Of the jobs, those added first are looked at. */
export const MAX_READ = 20_000

export async function readInstallation(sql: Sql, workerSchema: string): Promise<Installation> {
  const { rows } = await sql.query<Installation>({
    name: 'read_installation',
    text: `
      select workers.*, ready.*, current_setting('server_version') as "postgresVersion",
        pg_database_size(current_database())::float8 as "databaseBytes",
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        current_setting('max_connections')::int as "maxConnections"
      from (
        select count(*)::int as workers, sum(in_flight)::int as "attemptsInFlight", sum(concurrency)::int as concurrency
        from posthorn.workers where heartbeat_at > clock_timestamp() - interval '12 seconds'
      ) as workers,
      (
        select count(*)::int as "readyJobs", min(run_at) as "oldestReadyAt"
        from (select * from ${workerSchema}.jobs order by id limit $1) as job
        where ${IS_POSTHORN_JOB} and ${IN_STATE.due}
      ) as ready`,
    values: [MAX_READ],
  })
  return rows[0] as Installation
}
