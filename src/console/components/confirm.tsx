import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface ConfirmProps {
  readonly opened: boolean
  onClose(): void
  /** A question, such as "Delete this webhook?" */
  readonly title: string
  /** What will happen, and what is lost. */
  readonly children: ReactNode
  /** The verb on the button. */
  readonly action: string
  readonly destructive?: boolean
  /** The other button. Not the verb of the action: "Keep" beside "Cancel deliveries". Default: Cancel. */
  readonly dismiss?: string
  /** Resolves to null, or to an error message, which keeps the dialog open. */
  onConfirm(): Promise<string | null>
}

/** Asks before an action that cannot be undone or that affects others. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, destructive = false, onConfirm } = props
  const { dismiss = 'Cancel' } = props
  const [error, setError] = useState<string | null>(null)
  const [running, setRunning] = useState(false)

  async function confirm() {
    setRunning(true)
    const message = await onConfirm()
    setRunning(false)
    setError(message)
    if (message === null) onClose()
  }

  function close() {
    setError(null)
    onClose()
  }

  return (
    <Modal opened={opened} onClose={close} title={<Text fw={650}>{title}</Text>} centered>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {error !== null && (
          <Alert color="red" variant="light" role="alert">
            {error}
          </Alert>
        )}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {dismiss}
          </Button>
          <Button color={destructive ? 'red.8' : undefined} loading={running} onClick={confirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
