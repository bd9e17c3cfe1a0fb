import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma'
import { resolveCursorConnection } from '@pothos/plugin-relay'
import { argumentError, MAX_PAGE_SIZE, PAGE_SIZE, textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { countJobs, type JobCount, MAX_COUNTED } from './count-jobs.ts'
import { findJobs } from './find-jobs.ts'
import {
  deliveryIdOf,
  findDeliveriesOfJobs,
  findOrganizationsOfJobs,
  type Job,
  parseJobId,
} from './job.ts'

const JobState = builder.enumType('JobState', {
  description: 'Where a job stands.',
  values: {
    DUE: { value: 'due', description: 'It runs as soon as a worker is free.' },
    WAITING: { value: 'waiting', description: 'Its time has not come.' },
    RUNNING: { value: 'running', description: 'A worker has taken it, and runs it now or next.' },
    FAILED: {
      value: 'failed',
      description:
        'It failed as often as it may, or was failed by hand. It does not run again by itself.',
    },
  } as const,
})

const JobRef = builder.objectType('Job', {
  description:
    'Something that graphile-worker holds to be done. A job that was done is gone. A job `deliver` makes one attempt for a delivery.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its number, which is no id for `node`.' }),
    task: t.exposeString('task', { description: 'What is to be done, such as `deliver`.' }),
    state: t.expose('state', { type: JobState, description: 'Where it stands.' }),
    runAt: t.expose('runAt', {
      type: 'DateTime',
      description: 'When it is due. The year 9999: its delivery waits in the line of its webhook.',
    }),
    attempts: t.exposeInt('attempts', { description: 'How often it was begun.' }),
    maxAttempts: t.exposeInt('maxAttempts', {
      description:
        'How often it may be begun. This counts faults of Posthorn itself: a receiver that fails is no fault, and its delivery gets a new job.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why it failed the last time.',
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
    payload: t.expose('payload', {
      type: 'JSON',
      nullable: true,
      description: 'What the task is given: ids, and nothing secret.',
    }),
    delivery: t.prismaField({
      type: 'Delivery',
      nullable: true,
      description:
        'What it makes an attempt for, of whatever organization. Null for other tasks, and for a delivery past its retention. Needs the scope `admin`.',
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
        'Whose delivery it makes an attempt for. Null for other tasks, and for a delivery past its retention. Needs the scope `admin`.',
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
    task: t.exposeString('task', { description: 'What is to be done.' }),
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
        'What graphile-worker holds to be done, in the order it was added. Needs the scope `admin`.',
      authScopes: { scope: 'admin' },
      args: {
        task: t.arg.string({ description: 'Only those of this task.', validate: textRule }),
        state: t.arg({ type: JobState, description: 'Only those in this state.' }),
      },
      resolve: (_root, { task, state, ...args }, { sql }) =>
        resolveCursorConnection<Promise<readonly Job[]>>(
          { args, defaultSize: PAGE_SIZE, maxSize: MAX_PAGE_SIZE, toCursor: encodeCursor },
          ({ after, before, limit, inverted }) =>
            findJobs(
              sql,
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
    resolve: (_root, _args, { sql }) => countJobs(sql),
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
