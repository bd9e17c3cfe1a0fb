import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma'
import { resolveCursorConnection } from '@pothos/plugin-relay'
import { argumentError, MAX_PAGE_SIZE, PAGE_SIZE, textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { countJobs, type JobCount, MAX_COUNTED } from './count-jobs.ts'
import { findDeliveriesOfJobs, findOrganizationsOfJobs } from './find-deliveries-of-jobs.ts'
import { findJobs } from './find-jobs.ts'
import { deliveryIdOf, type Job, parseJobId } from './job.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    Job: Job
  }
}

declare module '../graphql/context.ts' {
  interface DomainDeps {
    /** The schema of graphile-worker's tables. */
    readonly workerSchema: string
  }
}

const JobState = builder.enumType('JobState', {
  description: 'Where a job stands.',
  values: {
    DUE: { value: 'due', description: 'It runs as soon as a worker is free.' },
    WAITING: { value: 'waiting', description: 'Its time has not come.' },
    RUNNING: { value: 'running', description: 'A worker has claimed it, and runs it now or next.' },
    FAILED: {
      value: 'failed',
      description:
        'All its attempts failed, or an operator failed it for good. It does not run again by itself.',
    },
  } as const,
})

const JobRef = builder.objectType('Job', {
  description:
    'A job in graphile-worker. A job that completed is gone. A job `posthorn:deliver` makes the attempts for a delivery.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its number, which is no id for `node`.' }),
    task: t.exposeString('task', { description: 'The task, such as `posthorn:deliver`.' }),
    state: t.expose('state', { type: JobState, description: 'Where it stands.' }),
    runAt: t.expose('runAt', {
      type: 'DateTime',
      description: 'When it runs: for a delivery, when the next attempt is made.',
    }),
    attempts: t.exposeInt('attempts', {
      description: 'The attempts made; while it runs, with the present one.',
    }),
    maxAttempts: t.exposeInt('maxAttempts', {
      description:
        'The attempts there will be if all fail: of a delivery, the length of its retry schedule and one.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description:
        'How the last attempt failed, such as `HTTP 503 from https://hooks.example.com (attempt 3 of 10)`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    lockedAt: t.expose('lockedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when a worker has it. Null while none does.',
    }),
    lockedBy: t.exposeString('lockedBy', {
      nullable: true,
      description: 'The worker, or the pool of workers, that has it. Null while none does.',
    }),
    key: t.exposeString('key', {
      nullable: true,
      description: 'Its key in graphile-worker: of a delivery, the id of the delivery.',
    }),
    delivery: t.prismaField({
      type: 'Delivery',
      nullable: true,
      description:
        'The delivery that it makes attempts for, of any organization. Null for other tasks, and for a delivery past its retention. Needs the scope `admin`.',
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
        'The organization of that delivery. Null for other tasks, and for a delivery past its retention. Needs the scope `admin`.',
      authScopes: { scope: 'admin' },
      resolve: (query, job, _args, { prisma, perField }, info) => {
        const id = deliveryIdOf(job)
        if (id === null) return null
        return perField(info, (ids: string[]) => findOrganizationsOfJobs(prisma, ids, query))(id)
      },
    }),
  }),
})

const JobCountRef = builder.objectRef<JobCount>('JobCount').implement({
  description: 'How many jobs of one task are in one state.',
  fields: (t) => ({
    task: t.exposeString('task', { description: 'The task.' }),
    state: t.expose('state', { type: JobState, description: 'Where they stand.' }),
    count: t.exposeInt('count', { description: 'How many they are, or were counted.' }),
    exact: t.exposeBoolean('exact', {
      description: `Whether these are all. Of each state, the first ${MAX_COUNTED.toLocaleString('en')} are counted, whatever their task.`,
    }),
  }),
})

builder.queryFields((t) => ({
  jobs: t.connection(
    {
      type: JobRef,
      nullable: true,
      description:
        "Posthorn's jobs in graphile-worker, in the order they were added. Needs the scope `admin`.",
      authScopes: { scope: 'admin' },
      args: {
        task: t.arg.string({ description: 'Only those of this task.', validate: textRule }),
        state: t.arg({ type: JobState, description: 'Only those in this state.' }),
      },
      resolve: (_root, { task, state, ...args }, { sql, workerSchema }) =>
        resolveCursorConnection<Promise<readonly Job[]>>(
          { args, defaultSize: PAGE_SIZE, maxSize: MAX_PAGE_SIZE, toCursor: encodeCursor },
          ({ after, before, limit, inverted }) =>
            findJobs(
              sql,
              workerSchema,
              { task, state },
              {
                after: decodeCursor('after', after),
                before: decodeCursor('before', before),
                limit,
                fromEnd: inverted,
              },
            ),
        ),
    },
    { name: 'JobConnection', description: 'A page of jobs.' },
    { name: 'JobEdge', description: 'A job in a page.' },
  ),
  jobSummary: t.field({
    type: [JobCountRef],
    nullable: true,
    description: `How many jobs there are, by task and state: all of them, or the first ${MAX_COUNTED.toLocaleString('en')} of a state. Needs the scope \`admin\`.`,
    authScopes: { scope: 'admin' },
    resolve: (_root, _args, { sql, workerSchema }) => countJobs(sql, workerSchema),
  }),
}))

/** Every cursor holds a uuid; that of a job has the digits of its number at the end. */
function encodeCursor({ id }: Job): string {
  const digits = id.padStart(32, '0')
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return formatPrismaCursor({ uuid }, 'uuid')
}

function decodeCursor(name: string, cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const id = String(parsePrismaCursor(cursor)).replaceAll('-', '').replace(/^0+/, '')
  if (parseJobId(id) !== null) return id
  const message = 'must be a cursor that was answered with a page of jobs'
  throw argumentError([{ message, path: [name] }])
}
