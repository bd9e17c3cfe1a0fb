import { Alert, Stack } from '@mantine/core'
import { formatCount, plural } from '../../lib/format.ts'
import { MAX_JOBS } from './change-many.ts'
import type { CommandResult } from './job-actions.tsx'

/** The ids that a line names; it counts the others. */
const MAX_NAMED = 20

interface JobOutcomesProps {
  readonly result: CommandResult
  onClose(): void
}

/** The outcome of a command for each job, and why it ended early. */
export function JobOutcomes({ result: { name, changes, ended }, onClose }: JobOutcomesProps) {
  const idsOf = (outcome: string) =>
    changes.filter((change) => change.outcome === outcome).map(({ id }) => id)
  const count = idsOf('CHANGED').length
  const changed =
    count === 0 ? 'No job was' : `${formatCount(count)} ${plural(count, 'job was', 'jobs were')}`
  const isComplete = count === changes.length && ended === null
  const lines = [
    ended !== null && endedText(ended, changes.length),
    ...OUTCOMES.map(([outcome, text]) => {
      const ids = idsOf(outcome)
      return ids.length > 0 && text(named(ids))
    }),
  ].filter((line) => line !== false)
  return (
    <Alert
      role="status"
      color={isComplete ? 'green' : 'yellow'}
      variant="light"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
      title={`${changed} ${DONE[name]}`}
    >
      {lines.length > 0 && (
        <Stack gap={2}>
          {lines.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </Stack>
      )}
    </Alert>
  )
}

const OUTCOMES: readonly (readonly [outcome: string, text: (ids: string) => string])[] = [
  ['RUNNING', (ids) => `Running, so not changed: ${ids}. Try again when these jobs have finished.`],
  [
    'UNDELIVERABLE',
    (ids) =>
      `Cannot be sent, because the webhook was deleted or the event is past its retention period: ${ids}.`,
  ],
  ['NOT_FOUND', (ids) => `Finished or removed before the action: ${ids}.`],
]

/** After the number of jobs. */
const DONE = { run: 'started', reschedule: 'rescheduled', fail: 'failed', remove: 'removed' }

function endedText(ended: NonNullable<CommandResult['ended']>, count: number): string {
  if (ended === 'limit')
    return `The limit of ${formatCount(MAX_JOBS)} jobs was reached. Repeat the action for the other jobs.`
  if (ended === 'stopped') return 'Stopped. The other jobs are unchanged.'
  return `Stopped after ${formatCount(count)}: ${ended.reason}`
}

function named(ids: readonly string[]): string {
  const text = ids.slice(0, MAX_NAMED).join(', ')
  const count = ids.length - MAX_NAMED
  return count > 0 ? `${text} and ${formatCount(count)} more` : text
}
