import { Button, Modal, Skeleton, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { t } from '../language/t.ts'

const PublishForm = lazy(() =>
  import('./publish-form.tsx').then((m) => ({ default: m.PublishForm })),
)

interface PublishDialogProps {
  /** The event type to begin with, if one is asked for. */
  readonly type: string | null
  readonly opened: boolean
  setOpened(opened: boolean): void
}

export function PublishDialog({ type, opened, setOpened }: PublishDialogProps) {
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
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <Suspense fallback={<Skeleton h={320} />}>
          <PublishForm asked={type} close={() => setOpened(false)} />
        </Suspense>
      </Modal>
    </>
  )
}
