import { Button } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'

interface RevealButtonProps {
  readonly revealed: boolean
  readonly running: boolean
  onReveal(): void
  onHide(): void
}

export function RevealButton({ revealed, running, onReveal, onHide }: RevealButtonProps) {
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={revealed ? <IconEyeOff size={14} /> : <IconEye size={14} />}
      loading={running}
      onClick={revealed ? onHide : onReveal}
    >
      {revealed ? 'Hide values' : 'Reveal values'}
    </Button>
  )
}
