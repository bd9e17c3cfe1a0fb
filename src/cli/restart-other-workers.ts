import { Option } from 'commander'

/** The flag of the commands that migrate, for a database in which an application also runs graphile-worker. */
export function restartOtherWorkersOption(): Option {
  return new Option(
    '--restart-other-workers',
    'migrate graphile-worker even if it also runs in other schemas of the database; its workers there stop, and you must restart them',
  ).default(false)
}
