import { Alert, Stack } from '@mantine/core'
import type { CommandResult } from './job-actions.tsx'
import { COMMANDS } from './job-commands.ts'

interface JobOutcomesProps {
  readonly result: CommandResult
  onClose(): void
}

/** The outcome of a command for each job. */
export function JobOutcomes({ result: { name, changes }, onClose }: JobOutcomesProps) {
  const idsOf = (outcome: string) =>
    changes.filter((change) => change.outcome === outcome).map(({ id }) => id)
  const changed = idsOf('CHANGED')
  const running = idsOf('RUNNING')
  const undeliverable = idsOf('UNDELIVERABLE')
  const missing = idsOf('NOT_FOUND')
  const isComplete = changed.length === changes.length
  return (
    <Alert
      role="status"
      color={isComplete ? 'green' : 'yellow'}
      variant="light"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
      title={`${changed.length === 0 ? 'No job was' : changed.length === 1 ? '1 job was' : `${changed.length} jobs were`} ${COMMANDS[name].done}`}
    >
      {!isComplete && (
        <Stack gap={2}>
          {running.length > 0 && (
            <span>Running, so not changed: {running.join(', ')}. Try again once finished.</span>
          )}
          {undeliverable.length > 0 && (
            <span>
              Cannot be sent, because the webhook was deleted or the event is past its retention
              period: {undeliverable.join(', ')}.
            </span>
          )}
          {missing.length > 0 && (
            <span>Completed or removed in the meantime: {missing.join(', ')}.</span>
          )}
        </Stack>
      )}
    </Alert>
  )
}
