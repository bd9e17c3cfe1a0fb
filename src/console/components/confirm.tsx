import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface ConfirmProps {
  readonly opened: boolean
  onClose(): void
  /** A question: "Delete this webhook?" */
  readonly title: string
  /** What will happen, and what is lost. */
  readonly children: ReactNode
  /** The verb on the button. */
  readonly action: string
  readonly destructive?: boolean
  /** Answers null, or why it could not be done, which stays on display. */
  onConfirm(): Promise<string | null>
}

/** Asks before something is done that cannot be undone, or that others notice. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, destructive = false, onConfirm } = props
  const [problem, setProblem] = useState<string | null>(null)
  const [running, setRunning] = useState(false)

  async function confirm() {
    setRunning(true)
    const refusal = await onConfirm()
    setRunning(false)
    setProblem(refusal)
    if (refusal === null) onClose()
  }

  function close() {
    setProblem(null)
    onClose()
  }

  return (
    <Modal opened={opened} onClose={close} title={<Text fw={650}>{title}</Text>} centered>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {problem !== null && (
          <Alert color="red" variant="light" role="alert">
            {problem}
          </Alert>
        )}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color={destructive ? 'red.8' : undefined} loading={running} onClick={confirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
