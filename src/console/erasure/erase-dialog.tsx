import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../language/t.ts'
import { EraseForm, type ToErase } from './erase-form.tsx'
import { ErasureReport } from './erasure-report.tsx'

interface EraseDialogProps {
  readonly opened: boolean
  close(): void
  readonly what: ToErase
}

/** Counts what an erasure erases, starts the erasure, and shows its report. */
export function EraseDialog({ opened, close, what }: EraseDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={<Text fw={650}>{t('Erase contents')}</Text>}
      size="lg"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Steps what={what} close={close} />
    </Modal>
  )
}

function Steps({ what, close }: Omit<EraseDialogProps, 'opened'>) {
  const [erasureId, setErasureId] = useState<string | null>(null)
  return erasureId === null ? (
    <EraseForm what={what} close={close} onStarted={setErasureId} />
  ) : (
    <ErasureReport id={erasureId} close={close} />
  )
}
