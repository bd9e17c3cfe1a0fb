import { Alert, Stack } from '@mantine/core'
import { t } from '../strings/t.ts'
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
      return ids.length > 0 && t(`jobs:outcomes.${key}`, { ids: named(ids) })
    }),
  ].filter((line) => line !== false)
  return (
    <Alert
      role="status"
      color={isComplete ? 'green' : 'yellow'}
      variant="light"
      withCloseButton
      closeButtonLabel={t('common:close')}
      onClose={onClose}
      title={t(`jobs:commands.${name}.done`, { count })}
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

function endedText(ended: NonNullable<CommandResult['ended']>, count: number): string {
  if (ended === 'limit') return t('jobs:outcomes.limit', { max: MAX_JOBS })
  if (ended === 'stopped') return t('jobs:outcomes.stopped')
  return t('jobs:commands.stoppedEarly', { count, reason: ended.reason })
}

function named(ids: readonly string[]): string {
  const text = ids.slice(0, MAX_NAMED).join(', ')
  const count = ids.length - MAX_NAMED
  return count > 0 ? t('jobs:outcomes.andMore', { ids: text, count }) : text
}
