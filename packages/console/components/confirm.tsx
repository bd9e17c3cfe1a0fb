import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Outcome } from '../api/use-action.ts'
import { t } from '../language/t.ts'
import { FormError } from './forms/form-parts.tsx'
import { notifySuccess } from './notify.ts'

interface ConfirmProps {
  readonly opened: boolean
  onClose(): void
  /** A question, such as "Delete this webhook?" */
  readonly title: string
  /** What will happen, and what is lost. */
  readonly children: ReactNode
  /** The verb on the button. Null if there is nothing to do. */
  readonly action: string | null
  /** Whether it is not known yet what the action would do. */
  readonly pending?: boolean
  readonly destructive?: boolean
  /** The other button. Not the verb of the action: "Keep" beside "Cancel deliveries". Default: Cancel. */
  readonly dismiss?: string
  /** Resolves to an outcome, or to null or an error message. An error keeps the dialog open. */
  onConfirm(): Promise<Outcome<unknown> | string | null>
  /** Reported when the action has succeeded. */
  readonly success?: string
  onDone?(): void
}

/** Asks before an action that cannot be undone or that affects others. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, destructive = false } = props
  const { pending = false, onConfirm, success, onDone } = props
  const { dismiss = action === null ? t('Close') : t('Cancel') } = props
  const [error, setError] = useState<string | null>(null)
  const [running, setRunning] = useState(false)

  async function confirm() {
    setRunning(true)
    const result = await onConfirm()
    setRunning(false)
    if (typeof result === 'string') return setError(result)
    if (result?.ok === false) return setError(result.message)
    if (success !== undefined) notifySuccess(success)
    onDone?.()
    close()
  }

  function close() {
    setError(null)
    onClose()
  }

  return (
    <Modal opened={opened} onClose={close} title={title} centered>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <FormError>{error}</FormError>
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {dismiss}
          </Button>
          {action !== null && (
            <Button
              color={destructive ? 'red.8' : undefined}
              loading={running}
              disabled={pending}
              onClick={confirm}
            >
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
