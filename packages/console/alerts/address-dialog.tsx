import { Modal, Text } from '@mantine/core'
import type { AlertsAddressFragment } from '../generated/graphql.ts'
import { AddressForm } from './address-form.tsx'

interface AddressDialogProps {
  readonly opened: boolean
  onClose(): void
  /** Null for a new one. */
  readonly address: AlertsAddressFragment | null
}

export function AddressDialog({ opened, onClose, ...form }: AddressDialogProps) {
  const title = form.address?.email ?? 'Add an address'
  return (
    <Modal opened={opened} onClose={onClose} size="lg" title={<Text fw={650}>{title}</Text>}>
      <AddressForm key={form.address?.id} {...form} onClose={onClose} />
    </Modal>
  )
}
