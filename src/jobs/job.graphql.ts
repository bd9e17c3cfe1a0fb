import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma'
import { resolveCursorConnection } from '@pothos/plugin-relay'
import { argumentError, MAX_PAGE_SIZE, PAGE_SIZE } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { findDeliveriesOfJobs, findOrganizationsOfJobs } from './find-deliveries-of-jobs.ts'
import { findJobs, type JobFilter } from './find-jobs.ts'
import { deliveryIdOf, type Job, parseJobId } from './job.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    Job: Job
  }

  interface Inputs {
    JobFilter: JobFilter
  }
}

declare module '../graphql/context.ts' {
  interface DomainDeps {
    /** The schema of graphile-worker's tables. */
    readonly workerSchema: string
  }
}

const JobState = builder.enumType('JobState', {
  description: 'The state of a job.',
  values: {
    DUE: { value: 'due', description: 'The job runs as soon as a worker is free.' },
    SCHEDULED: { value: 'scheduled', description: 'The job runs at a later time.' },
    RUNNING: { value: 'running', description: 'A worker has claimed the job.' },
    FAILED: {
      value: 'failed',
      description:
        'All attempts failed, or an operator failed the job. It does not run again automatically.',
    },
  } as const,
})

const JobRef = builder.objectType('Job', {
  description:
    'A job in graphile-worker. Completed jobs are deleted. A job of the task `posthorn:deliver` makes the attempts of a delivery.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The id of the job in graphile-worker. `node` does not accept it.',
    }),
    task: t.exposeString('task', { description: 'The task, such as `posthorn:deliver`.' }),
    state: t.expose('state', { type: JobState, description: 'The state of the job.' }),
    runAt: t.expose('runAt', {
      type: 'DateTime',
      description: 'When the job runs. For a delivery: the time of the next attempt.',
    }),
    attempts: t.exposeInt('attempts', {
      description: 'The number of attempts, including the current one while the job runs.',
    }),
    maxAttempts: t.exposeInt('maxAttempts', {
      description:
        'The maximum number of attempts. For a delivery: the length of its retry schedule plus one.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description:
        'The error of the last failed attempt, such as `HTTP 503 from https://hooks.example.com (attempt 3 of 10)`. Null if there is none.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the job was created.',
    }),
    lockedAt: t.expose('lockedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a worker claimed the job. Null if none has.',
    }),
    lockedBy: t.exposeString('lockedBy', {
      nullable: true,
      description: 'The worker or worker pool that claimed the job. Null if none has.',
    }),
    key: t.exposeString('key', {
      nullable: true,
      description: 'The job key in graphile-worker. For a delivery: the id of the delivery.',
    }),
    delivery: t.prismaField({
      type: 'Delivery',
      nullable: true,
      description:
        'The delivery of the job, of any organization. Null for other tasks, and once the delivery is past its retention.',
      authScopes: { scope: 'admin' },
      resolve: (query, job, _args, { prisma, perField }, info) => {
        const id = deliveryIdOf(job)
        if (id === null) return null
        return perField(info, (ids: string[]) => findDeliveriesOfJobs(prisma, ids, query))(id)
      },
    }),
    organization: t.prismaField({
      type: 'Organization',
      nullable: true,
      description:
        'The organization of the delivery. Null for other tasks, and once the delivery is past its retention.',
      authScopes: { scope: 'admin' },
      resolve: (query, job, _args, { prisma, perField }, info) => {
        const id = deliveryIdOf(job)
        if (id === null) return null
        return perField(info, (ids: string[]) => findOrganizationsOfJobs(prisma, ids, query))(id)
      },
    }),
  }),
})

builder.inputType('JobFilter', {
  description: 'Selects jobs. A job must match all given fields.',
  fields: (t) => ({
    task: t.string({ description: 'Jobs of this task.' }),
    state: t.field({ type: JobState, description: 'Jobs in this state.' }),
  }),
})

builder.queryFields((t) => ({
  jobs: t.connection(
    {
      type: JobRef,
      semanticNonNull: true,
      description: "Posthorn's jobs in graphile-worker, newest first.",
      authScopes: { scope: 'admin' },
      args: {
        filter: t.arg({ type: 'JobFilter', description: 'Selects jobs. Default: all.' }),
      },
      resolve: (_root, { filter, ...args }, { sql, workerSchema }) =>
        resolveCursorConnection<Promise<readonly Job[]>>(
          { args, defaultSize: PAGE_SIZE, maxSize: MAX_PAGE_SIZE, toCursor: encodeCursor },
          ({ after, before, limit, inverted }) =>
            findJobs(sql, workerSchema, filter ?? {}, {
              after: decodeCursor('after', after),
              before: decodeCursor('before', before),
              limit,
              fromEnd: inverted,
            }),
        ),
    },
    { name: 'JobConnection', description: 'A page of jobs.' },
    { name: 'JobEdge', description: 'A job in a page.' },
  ),
}))

/** Every cursor holds a uuid. In the cursor of a job, the uuid ends with the digits of the job id. */
function encodeCursor({ id }: Job): string {
  const digits = id.padStart(32, '0')
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return formatPrismaCursor({ uuid }, 'uuid')
}

function decodeCursor(name: string, cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const id = String(parsePrismaCursor(cursor)).replaceAll('-', '').replace(/^0+/, '')
  if (parseJobId(id) !== null) return id
  const message = 'must be a cursor from a page of jobs'
  throw argumentError([{ message, path: [name] }])
}
