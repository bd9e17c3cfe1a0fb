/** The commands for jobs, with their texts. */
export type CommandName = 'run' | 'reschedule' | 'fail' | 'remove'

export interface Command {
  readonly label: string
  /** The question, given a count of jobs: "Run 3 jobs now?" */
  question(jobs: string): string
  readonly effect: string
  /** The participle in "3 jobs were started." */
  readonly done: string
  readonly destructive: boolean
}

export const COMMANDS: Readonly<Record<CommandName, Command>> = {
  run: {
    label: 'Run now',
    question: (jobs) => `Run ${jobs} now?`,
    effect:
      'The jobs run now, failed ones too. A delivery is sent now even if its webhook is on hold.',
    done: 'started',
    destructive: false,
  },
  reschedule: {
    label: 'Reschedule',
    question: (jobs) => `Reschedule ${jobs}?`,
    effect:
      'The jobs run at that time, failed ones too. The next attempts of their deliveries move to that time as well.',
    done: 'rescheduled',
    destructive: false,
  },
  fail: {
    label: 'Fail',
    question: (jobs) => `Fail ${jobs} permanently?`,
    effect: 'The jobs do not run again. Their deliveries are canceled, and record the reason.',
    done: 'failed',
    destructive: true,
  },
  remove: {
    label: 'Remove',
    question: (jobs) => `Remove ${jobs}?`,
    effect:
      'The jobs are removed as if completed. This cannot be undone. An unfinished delivery gets a new job within five minutes; to stop it, fail the job or cancel the delivery.',
    done: 'removed',
    destructive: true,
  },
}

export function jobsInWords(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`
}
