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
  description: 'What became of a job that was to be changed.',
  values: {
    CHANGED: { value: 'changed', description: 'It was done as asked.' },
    RUNNING: {
      value: 'running',
      description: 'Nothing was done: a worker has it. Try again when it has ended.',
    },
    UNDELIVERABLE: {
      value: 'undeliverable',
      description:
        'Nothing was done: its delivery cannot be sent any more, as its webhook was deleted, its event is past its retention, or it has succeeded.',
    },
    NOT_FOUND: {
      value: 'not_found',
      description: 'There is no such job: it was done meanwhile, or never was.',
    },
  } as const,
})

const JobChangeRef = builder.objectRef<JobChange>('JobChange').implement({
  description: 'One job that was to be changed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id that was given.' }),
    outcome: t.expose('outcome', { type: JobOutcome, description: 'What became of it.' }),
    job: t.expose('job', {
      type: 'Job',
      nullable: true,
      description: 'The job, as it is now. Null when it is gone, or replaced by another.',
    }),
  }),
})

const IDS = `The ids of at most ${MAX_JOBS} jobs.`

builder.mutationFields((t) => ({
  runJobsNow: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Runs jobs now, failed ones too. The job of a delivery is redelivered: its attempt is made before others, also where its webhook is on hold. Running ones are left alone. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'changes', description: 'What became of each, in the order of the ids.' },
      result: { description: 'Those that do not run were changed.' },
      union: { description: 'What `runJobsNow` answers with.' },
    },
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
    },
    resolve: (_root, { ids }, context) => runJobsNow(context, ids),
  }),

  rescheduleJobs: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Moves jobs to another time, failed ones too, and the next attempts of their deliveries with them. Running ones are left alone. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'changes', description: 'What became of each, in the order of the ids.' },
      result: { description: 'Those that do not run were changed.' },
      union: { description: 'What `rescheduleJobs` answers with.' },
    },
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
      runAt: t.arg({
        type: 'DateTime',
        required: true,
        description: 'When they run; a time in the past is now.',
      }),
    },
    resolve: (_root, { ids, runAt }, context) => rescheduleJobs(context, ids, runAt),
  }),

  failJobs: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Fails jobs for good. The delivery of such a job is canceled, and keeps the reason. Running ones are left alone. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'changes', description: 'What became of each, in the order of the ids.' },
      result: { description: 'Those that do not run were changed.' },
      union: { description: 'What `failJobs` answers with.' },
    },
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
      reason: t.arg.string({
        required: true,
        description: 'Why, for people who look at it later: 1 to 1,000 characters.',
      }),
    },
    resolve: (_root, { ids, reason }, context) => failJobs(context, ids, reason),
  }),

  completeJobs: t.field({
    type: [JobChangeRef],
    nullable: true,
    description:
      'Removes jobs as if they had completed. A pending delivery gets its job again within five minutes: to send nothing more, use `cancelDelivery` or `failJobs`. Running ones are left alone. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'changes', description: 'What became of each, in the order of the ids.' },
      result: { description: 'Those that do not run were changed.' },
      union: { description: 'What `completeJobs` answers with.' },
    },
    args: {
      ids: t.arg.idList({ required: true, description: IDS }),
    },
    resolve: (_root, { ids }, context) => completeJobs(context, ids),
  }),
}))
