/** What can be done to jobs: how it is called, what it does, and how its outcome reads. */
export type CommandName = 'run' | 'reschedule' | 'fail' | 'remove'

export interface Command {
  readonly label: string
  /** The question, of so many jobs: "Run 3 jobs now?" */
  question(jobs: string): string
  readonly effect: string
  /** "3 jobs were made due." */
  readonly done: string
  readonly destructive: boolean
}

export const COMMANDS: Readonly<Record<CommandName, Command>> = {
  run: {
    label: 'Run now',
    question: (jobs) => `Run ${jobs} now?`,
    effect:
      'They are made due, failed ones too, with all their attempts before them. A delivery is attempted at once, ahead of its retry schedule, and its receiver is called.',
    done: 'made due',
    destructive: false,
  },
  reschedule: {
    label: 'Reschedule',
    question: (jobs) => `Move ${jobs} to another time?`,
    effect:
      'They become due at that time, failed ones too, with all their attempts before them. A delivery is not attempted before.',
    done: 'moved',
    destructive: false,
  },
  fail: {
    label: 'Fail',
    question: (jobs) => `Fail ${jobs} for good?`,
    effect:
      'They do not run again by themselves. A delivery whose job is failed gets a new one within about 15 minutes. To send nothing more, cancel the delivery.',
    done: 'failed',
    destructive: true,
  },
  remove: {
    label: 'Remove',
    question: (jobs) => `Remove ${jobs}?`,
    effect:
      'They are gone, as if they had been done. A delivery whose job is removed gets a new one within about 15 minutes. To send nothing more, cancel the delivery. This cannot be undone.',
    done: 'removed',
    destructive: true,
  },
}

export function jobsInWords(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`
}
