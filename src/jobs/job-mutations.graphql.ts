import { builder } from '../graphql/builder.ts'
import { ValidationError } from '../graphql/errors.ts'
import {
  completeJobs,
  failJobs,
  type JobChange,
  MAX_JOBS,
  rescheduleJobs,
  runJobsNow,
} from './change-jobs.ts'

const JobOutcome = builder.enumType('JobOutcome', {
  description: 'The outcome of a change to a job.',
  values: {
    CHANGED: { value: 'changed', description: 'The job was changed.' },
    RUNNING: {
      value: 'running',
      description: 'Not changed: a worker runs the job. Try again when it has ended.',
    },
    UNDELIVERABLE: {
      value: 'undeliverable',
      description:
        'Not changed: the delivery cannot be sent, because it succeeded, its webhook was deleted, or its event is past its retention.',
    },
    NOT_FOUND: {
      value: 'not_found',
      description: 'There is no such job. It may have completed.',
    },
  } as const,
})

const JobChangeRef = builder.objectRef<JobChange>('JobChange').implement({
  description: 'The result of changing one job.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id in the request.' }),
    outcome: t.expose('outcome', { type: JobOutcome, description: 'The outcome.' }),
    job: t.expose('job', {
      type: 'Job',
      nullable: true,
      description:
        'The job after the change. Null if it no longer exists or was replaced by another job.',
    }),
  }),
})

/** The result of a mutation: the outcome of each job, or an error. */
const changesOf = (mutation: string) => ({
  types: [ValidationError],
  dataField: { name: 'changes', description: 'The result for each job, in the order of the ids.' },
  result: { description: 'The jobs were processed. `changes` has the outcome of each.' },
  union: { description: `The result of \`${mutation}\`.` },
})

const RescheduleJobsInput = builder.inputType('RescheduleJobsInput', {
  description: 'The new time of jobs.',
  fields: (t) => ({
    runAt: t.field({
      type: 'DateTime',
      required: true,
      description: 'When the jobs run. A time in the past means now.',
    }),
  }),
})

const FailJobsInput = builder.inputType('FailJobsInput', {
  description: 'Why jobs fail.',
  fields: (t) => ({
    reason: t.string({
      required: true,
      description: 'The reason, shown as the last error of the job: 1 to 1,000 characters.',
    }),
  }),
})

const IDS = `The ids of the jobs, at most ${MAX_JOBS}.`

builder.mutationFields((t) => ({
  runJobsNow: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Runs jobs now, including failed jobs. A delivery is redelivered with priority, even if its webhook is on hold. Running jobs do not change.',
    authScopes: { scope: 'admin' },
    errors: changesOf('runJobsNow'),
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
    },
    resolve: (_root, { ids }, context) => runJobsNow(context, ids),
  }),

  rescheduleJobs: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Reschedules jobs, including failed jobs, and the next attempts of their deliveries. Running jobs do not change.',
    authScopes: { scope: 'admin' },
    errors: changesOf('rescheduleJobs'),
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
      input: t.arg({ type: RescheduleJobsInput, required: true, description: 'The new time.' }),
    },
    resolve: (_root, { ids, input }, context) => rescheduleJobs(context, ids, input.runAt),
  }),

  failJobs: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Fails jobs permanently. Their deliveries are canceled and keep the reason. Running jobs do not change.',
    authScopes: { scope: 'admin' },
    errors: changesOf('failJobs'),
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
      input: t.arg({ type: FailJobsInput, required: true, description: 'The reason.' }),
    },
    resolve: (_root, { ids, input }, context) => failJobs(context, ids, input.reason),
  }),

  completeJobs: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Removes jobs as if they had completed. An unfinished delivery gets a new job within five minutes; to stop it, use `cancelDelivery` or `failJobs`. Running jobs do not change.',
    authScopes: { scope: 'admin' },
    errors: changesOf('completeJobs'),
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
    },
    resolve: (_root, { ids }, context) => completeJobs(context, ids),
  }),
}))
