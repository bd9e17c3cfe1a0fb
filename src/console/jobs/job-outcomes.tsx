import { Alert, Stack } from '@mantine/core'
import { formatCount, plural } from '../format.ts'
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
  const isComplete = count === changes.length && ended === null
  const lines = [
    ended !== null && endedText(ended, changes.length),
    ...(
      [
        ['RUNNING', 'running'],
        ['UNDELIVERABLE', 'undeliverable'],
        ['NOT_FOUND', 'missing'],
      ] as const
    ).map(([outcome, key]) => {
      const ids = idsOf(outcome)
      return ids.length > 0 && OUTCOMES[key](named(ids))
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
      title={DONE[name](count)}
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

const OUTCOMES = {
  running: (ids: string) =>
    `Running, so not changed: ${ids}. Try again when these jobs have finished.`,
  undeliverable: (ids: string) =>
    `Cannot be sent, because the webhook was deleted or the event is past its retention period: ${ids}.`,
  missing: (ids: string) => `Finished or removed before the action: ${ids}.`,
}

const DONE = {
  run: (count: number) =>
    count === 0
      ? 'No job was started'
      : `${formatCount(count)} ${plural(count, 'job was', 'jobs were')} started`,
  reschedule: (count: number) =>
    count === 0
      ? 'No job was rescheduled'
      : `${formatCount(count)} ${plural(count, 'job was', 'jobs were')} rescheduled`,
  fail: (count: number) =>
    count === 0
      ? 'No job was failed'
      : `${formatCount(count)} ${plural(count, 'job was', 'jobs were')} failed`,
  remove: (count: number) =>
    count === 0
      ? 'No job was removed'
      : `${formatCount(count)} ${plural(count, 'job was', 'jobs were')} removed`,
}

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
