import { builder } from '../graphql/builder.ts'
import { type Installation, MAX_READ, readInstallation } from './read-installation.ts'

const OF_JOBS = `Of the ${MAX_READ.toLocaleString('en')} jobs that were added first.`

const InstallationRef = builder.objectRef<Installation>('Installation').implement({
  description: 'The state of the whole installation: its workers, its queue and its database.',
  fields: (t) => ({
    workers: t.exposeInt('workers', {
      description: 'The number of workers with a heartbeat in the last 12 seconds.',
    }),
    attemptsInFlight: t.exposeInt('attemptsInFlight', {
      nullable: true,
      description: 'The attempts in flight of all workers, a second old. Null if there is none.',
    }),
    concurrency: t.exposeInt('concurrency', {
      nullable: true,
      description:
        'The limit of attempts in flight of all workers: the sum of `POSTHORN_CONCURRENCY`. Null if there is none.',
    }),
    readyJobs: t.exposeInt('readyJobs', {
      description: `The number of jobs that no worker has claimed although their time has come. ${OF_JOBS}`,
    }),
    oldestReadyAt: t.expose('oldestReadyAt', {
      type: 'DateTime',
      nullable: true,
      description: `Since when the oldest of these jobs waits for a worker. ${OF_JOBS} Null if there is none.`,
    }),
    postgresVersion: t.exposeString('postgresVersion', {
      description: 'The version of Postgres, such as `18.1`.',
    }),
    databaseBytes: t.exposeFloat('databaseBytes', {
      description: 'The size of the database, in bytes.',
    }),
    connections: t.exposeInt('connections', {
      description: 'The open connections to the server, of all programs.',
    }),
    maxConnections: t.exposeInt('maxConnections', {
      description: 'The largest number of connections that the server accepts.',
    }),
  }),
})

builder.queryFields((t) => ({
  installation: t.field({
    type: InstallationRef,
    semanticNonNull: true,
    description: 'The state of the whole installation.',
    authScopes: { scope: 'admin' },
    resolve: (_root, _args, { sql, workerSchema }) => readInstallation(sql, workerSchema),
  }),
}))
