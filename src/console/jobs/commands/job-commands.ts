interface JobCommand {
  readonly label: string
  question(jobs: string): string
  readonly effect: string
  readonly isDestructive: boolean
}

export type CommandName = 'run' | 'reschedule' | 'fail' | 'remove'

/** The commands for jobs. */
export const COMMANDS: Readonly<Record<CommandName, JobCommand>> = {
  run: {
    label: 'Run now',
    question: (jobs) => `Run ${jobs} now?`,
    effect:
      'Runs the selected jobs now, failed ones too. A delivery is sent now even if its webhook is on hold.',
    isDestructive: false,
  },
  reschedule: {
    label: 'Reschedule',
    question: (jobs) => `Reschedule ${jobs}?`,
    effect:
      'Runs the selected jobs at that time, failed ones too. The next attempts of their deliveries move to that time as well.',
    isDestructive: false,
  },
  fail: {
    label: 'Fail',
    question: (jobs) => `Fail ${jobs} permanently?`,
    effect: 'The jobs do not run again. Their deliveries are canceled, and record the reason.',
    isDestructive: true,
  },
  remove: {
    label: 'Remove',
    question: (jobs) => `Remove ${jobs}?`,
    effect:
      'Removes the selected jobs without running them. This cannot be undone. An unfinished delivery gets a new job within five minutes; to stop it, fail the job or cancel the delivery.',
    isDestructive: true,
  },
}

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[]
