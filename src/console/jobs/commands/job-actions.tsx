import { Button, Stack, Text, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { DateTimeInput } from '../../components/forms/date-time-input.tsx'
import { formatCount } from '../../lib/format.ts'
import { changeMany, MAX_JOBS, type ManyChanges } from './change-many.ts'
import { COMMAND_NAMES, COMMANDS, type CommandName } from './job-commands.ts'
import { type JobTarget, useJobCommands, useJobIds } from './use-job-commands.ts'

export interface CommandResult extends ManyChanges {
  readonly name: CommandName
}

interface JobActionsProps {
  readonly target: JobTarget
  /** The number of jobs, in words. */
  readonly jobs: string
  onDone(result: CommandResult): void
}

/** The actions for the selected jobs. Each asks for confirmation, with the number first. */
export function JobActions({ target, jobs, onDone }: JobActionsProps) {
  const change = useJobCommands()
  const idsOf = useJobIds()
  // The last command stays set, so that the dialog's text does not change while the dialog closes.
  const [name, setName] = useState<CommandName>('run')
  const [confirming, setConfirming] = useState(false)
  const [runAt, setRunAt] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const [count, setCount] = useState(0)
  const running = useRef<AbortController | null>(null)

  async function confirm(): Promise<string | null> {
    if (name === 'reschedule' && runAt === null) return 'Choose a date and a time.'
    if (name === 'fail' && reason.trim() === '') return 'Enter a reason.'
    const controller = new AbortController()
    running.current = controller
    const done = await changeMany({
      page: (after) => idsOf(target, after),
      change: (ids) => change(name, { ids, runAt: runAt ?? '', reason }),
      signal: controller.signal,
      report: setCount,
    })
    setCount(0)
    const { ended, changes } = done
    if (ended !== null && typeof ended === 'object' && changes.length === 0) return ended.reason
    setReason('')
    setRunAt(null)
    onDone({ name, ...done })
    return null
  }

  return (
    <>
      {COMMAND_NAMES.map((command) => (
        <Button
          key={command}
          size="xs"
          variant="default"
          c={COMMANDS[command].isDestructive ? 'var(--posthorn-on-red)' : undefined}
          onClick={() => {
            setName(command)
            setConfirming(true)
          }}
        >
          {COMMANDS[command].label}
        </Button>
      ))}
      <Confirm
        opened={confirming}
        onClose={() => {
          running.current?.abort()
          setConfirming(false)
        }}
        title={COMMANDS[name].question(jobs)}
        action={COMMANDS[name].label}
        destructive={COMMANDS[name].isDestructive}
        onConfirm={confirm}
      >
        <Stack gap="sm">
          <span>{COMMANDS[name].effect} Running jobs are not changed.</span>
          {!('ids' in target) && (
            <span>{`The jobs are changed page by page, at most ${formatCount(MAX_JOBS)}. Closing this dialog stops.`}</span>
          )}
          {name === 'reschedule' && (
            <DateTimeInput
              label="Run at"
              description="In your time zone. A past time means now."
              required
              value={runAt}
              onChange={setRunAt}
            />
          )}
          {name === 'fail' && (
            <Textarea
              label="Reason"
              description="Recorded as the last error of the job, and in the audit log."
              required
              withAsterisk={false}
              autosize
              minRows={2}
              maxLength={1_000}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
          {count > 0 && (
            <Text size="sm" role="status">
              {`${formatCount(count)} done …`}
            </Text>
          )}
        </Stack>
      </Confirm>
    </>
  )
}
