import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { Confirm } from '../components/confirm.tsx'
import { DateTimeInput } from '../components/forms/date-time-input.tsx'
import type { JobsChangeFragment } from '../generated/graphql.ts'
import { COMMANDS, type CommandName, jobsInWords } from './job-commands.ts'
import { useJobCommands } from './use-job-commands.ts'

export interface CommandResult {
  readonly name: CommandName
  readonly changes: readonly JobsChangeFragment[]
}

interface JobActionsProps {
  readonly ids: readonly string[]
  onDone(result: CommandResult): void
}

/** The actions for the selected jobs. Each asks for confirmation. */
export function JobActions({ ids, onDone }: JobActionsProps) {
  const change = useJobCommands()
  // The last command stays set, so that the dialog's text does not change while the dialog closes.
  const [commandName, setCommandName] = useState<CommandName>('run')
  const [confirming, setConfirming] = useState(false)
  const [runAt, setRunAt] = useState<string | null>(null)
  const [reason, setReason] = useState('')
  const command = COMMANDS[commandName]

  async function confirm(): Promise<string | null> {
    if (commandName === 'reschedule' && runAt === null) return 'Choose a date and a time.'
    if (commandName === 'fail' && reason.trim() === '') return 'Enter a reason.'
    const outcome = await change(commandName, { ids, runAt: runAt ?? '', reason })
    if (!outcome.ok) return outcome.message
    setReason('')
    setRunAt(null)
    onDone({ name: commandName, changes: outcome.value.changes })
    return null
  }

  return (
    <>
      <Group gap="xs">
        {(Object.keys(COMMANDS) as CommandName[]).map((name) => (
          <Button
            key={name}
            size="xs"
            variant="default"
            c={COMMANDS[name].destructive && ids.length > 0 ? 'var(--posthorn-on-red)' : undefined}
            disabled={ids.length === 0}
            onClick={() => {
              setCommandName(name)
              setConfirming(true)
            }}
          >
            {COMMANDS[name].label}
          </Button>
        ))}
      </Group>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={command.question(jobsInWords(ids.length))}
        action={command.label}
        destructive={command.destructive}
        onConfirm={confirm}
      >
        <Stack gap="sm">
          <span>{command.effect} Running jobs are not changed.</span>
          {commandName === 'reschedule' && (
            <DateTimeInput
              label="Run at"
              description="In your time zone. A past time means now."
              required
              value={runAt}
              onChange={setRunAt}
            />
          )}
          {commandName === 'fail' && (
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
        </Stack>
      </Confirm>
    </>
  )
}
