import { Option } from 'commander'

/** The flag of the commands that migrate, for a database that an application runs graphile-worker in too. */
export function restartOtherWorkersOption(): Option {
  return new Option(
    '--restart-other-workers',
    'migrate graphile-worker although it runs in other schemas of the database, where its workers stop then and are to be started again',
  ).default(false)
}
