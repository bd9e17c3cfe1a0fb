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
      'They run now, failed ones too. The job of a delivery is a redelivery: its endpoint is called now, also where the webhook is on hold.',
    done: 'started',
    destructive: false,
  },
  reschedule: {
    label: 'Reschedule',
    question: (jobs) => `Move ${jobs} to another time?`,
    effect:
      'They run at that time, failed ones too, and the next attempts of their deliveries with them.',
    done: 'moved',
    destructive: false,
  },
  fail: {
    label: 'Fail',
    question: (jobs) => `Fail ${jobs} for good?`,
    effect: 'They do not run again. The deliveries of such jobs are canceled, and keep the reason.',
    done: 'failed',
    destructive: true,
  },
  remove: {
    label: 'Remove',
    question: (jobs) => `Remove ${jobs}?`,
    effect:
      'They are gone, as if they had completed. A pending delivery gets its job again within five minutes: to send nothing more, fail the job or cancel the delivery. This cannot be undone.',
    done: 'removed',
    destructive: true,
  },
}

export function jobsInWords(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`
}
