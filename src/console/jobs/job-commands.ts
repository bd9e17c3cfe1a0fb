/** The commands for jobs. Their texts are in `jobs:commands`. */
export const COMMANDS = ['run', 'reschedule', 'fail', 'remove'] as const

export type CommandName = (typeof COMMANDS)[number]

export function isDestructive(name: CommandName): boolean {
  return name === 'fail' || name === 'remove'
}
