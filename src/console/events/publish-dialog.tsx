import { Button, Modal, Skeleton, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'

const PublishForm = lazy(() =>
  import('./publish-form.tsx').then((m) => ({ default: m.PublishForm })),
)

interface PublishDialogProps {
  readonly opened: boolean
  setOpened(opened: boolean): void
}

export function PublishDialog({ opened, setOpened }: PublishDialogProps) {
  return (
    <>
      <Button leftSection={<IconSend size={16} />} onClick={() => setOpened(true)}>
        Publish event
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={<Text fw={650}>Publish event</Text>}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Suspense fallback={<Skeleton h={320} />}>
          <PublishForm close={() => setOpened(false)} />
        </Suspense>
      </Modal>
    </>
  )
}
