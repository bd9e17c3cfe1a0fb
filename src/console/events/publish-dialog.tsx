import { Button, Modal, Skeleton, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { t } from '../strings/t.ts'

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
        {t('events:publish.title')}
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={<Text fw={650}>{t('events:publish.title')}</Text>}
        size="lg"
        closeButtonProps={{ 'aria-label': t('common:close') }}
      >
        <Suspense fallback={<Skeleton h={320} />}>
          <PublishForm close={() => setOpened(false)} />
        </Suspense>
      </Modal>
    </>
  )
}
