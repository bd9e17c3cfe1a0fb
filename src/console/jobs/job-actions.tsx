import { Button, Stack, Text, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { Confirm } from '../components/confirm.tsx'
import { DateTimeInput } from '../components/forms/date-time-input.tsx'
import { t } from '../strings/t.ts'
import { changeMany, MAX_JOBS, type ManyChanges } from './change-many.ts'
import { COMMANDS, type CommandName, isDestructive } from './job-commands.ts'
import { useJobCommands } from './use-job-commands.ts'
import { type JobTarget, useJobIds } from './use-job-ids.ts'

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
    if (name === 'reschedule' && runAt === null) return t('jobs:commands.runAtMissing')
    if (name === 'fail' && reason.trim() === '') return t('jobs:commands.reasonMissing')
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
      {COMMANDS.map((command) => (
        <Button
          key={command}
          size="xs"
          variant="default"
          c={isDestructive(command) ? 'var(--posthorn-on-red)' : undefined}
          onClick={() => {
            setName(command)
            setConfirming(true)
          }}
        >
          {t(`jobs:commands.${command}.label`)}
        </Button>
      ))}
      <Confirm
        opened={confirming}
        onClose={() => {
          running.current?.abort()
          setConfirming(false)
        }}
        title={t(`jobs:commands.${name}.question`, { jobs })}
        action={t(`jobs:commands.${name}.label`)}
        destructive={isDestructive(name)}
        onConfirm={confirm}
      >
        <Stack gap="sm">
          <span>
            {t(`jobs:commands.${name}.effect`)} {t('jobs:commands.running')}
          </span>
          {!('ids' in target) && <span>{t('jobs:commands.pageByPage', { max: MAX_JOBS })}</span>}
          {name === 'reschedule' && (
            <DateTimeInput
              label={t('jobs:commands.runAt')}
              description={t('jobs:commands.runAtHint')}
              required
              value={runAt}
              onChange={setRunAt}
            />
          )}
          {name === 'fail' && (
            <Textarea
              label={t('jobs:commands.reason')}
              description={t('jobs:commands.reasonHint')}
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
              {t('jobs:commands.progress', { count })}
            </Text>
          )}
        </Stack>
      </Confirm>
    </>
  )
}
