import { until } from '../support/until.ts'
import type { PostgresServer } from './postgres-server.ts'

/** Installs triggers that do nothing while there is space. Without them, `fillDisk` fills nothing. */
export async function installFullDisk(postgres: PostgresServer): Promise<void> {
  await postgres.query(DISK_WITH_SPACE)
  for (const table of ['events', 'attempts']) {
    await postgres.query(
      `create trigger disk before insert on posthorn.${table} for each row execute function public.disk()`,
    )
  }
}

/** From now on, Postgres raises the error with which it fails to extend a table. */
export const fillDisk = (postgres: PostgresServer) => replaceDisk(postgres, FULL_DISK)

export const freeDisk = (postgres: PostgresServer) => replaceDisk(postgres, DISK_WITH_SPACE)

/** Replacing the function needs no lock on the tables. */
async function replaceDisk(postgres: PostgresServer, sql: string): Promise<void> {
  await until(
    () =>
      postgres.query(sql).then(
        () => true,
        () => false,
      ),
    'Postgres replaces the function',
    30_000,
  )
}

const DISK_WITH_SPACE = `create or replace function public.disk() returns trigger language plpgsql as
  $$ begin return new; end $$`

const FULL_DISK = `create or replace function public.disk() returns trigger language plpgsql as
  $$ begin raise disk_full using message = 'could not extend file: No space left on device'; end $$`
