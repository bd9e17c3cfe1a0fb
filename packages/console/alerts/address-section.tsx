import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { List } from '../components/lists/list.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Section } from '../components/page/section.tsx'
import { usePanel } from '../components/use-panel.ts'
import type { AlertsAddressFragment } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { addressColumns } from './address-columns.tsx'
import { AddressDialog } from './address-dialog.tsx'

interface AddressSectionProps {
  readonly title: string
  readonly description: ReactNode
  /** Undefined while loading. */
  readonly addresses: readonly AlertsAddressFragment[] | null | undefined
  reload(): void
}

/** The e-mail addresses of the organization, which open in a dialog. */
export function AddressSection(props: AddressSectionProps) {
  const { title, description, addresses, reload } = props
  const mayChange = useSession().can('webhooks:write')
  const opened = usePanel('address')
  const [adding, setAdding] = useState(false)
  const add = mayChange && (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} />}
      onClick={() => setAdding(true)}
    >
      Add address
    </Button>
  )
  return (
    <Section title={title} description={description} actions={addresses?.length ? add : undefined}>
      <List
        label={title}
        columns={addressColumns(mayChange)}
        rows={addresses ?? undefined}
        keyOf={({ id }) => id}
        {...(mayChange && { to: ({ id }: AlertsAddressFragment) => opened.to(id) })}
        reload={reload}
        empty={
          <EmptyState title="No addresses" action={add}>
            Nobody gets an e-mail when a webhook of this organization is in trouble.
          </EmptyState>
        }
      />
      <AddressDialog opened={adding} onClose={() => setAdding(false)} address={null} />
      <AddressDialog
        opened={addresses?.some(({ id }) => id === opened.id) ?? false}
        onClose={opened.close}
        address={addresses?.find(({ id }) => id === opened.id) ?? null}
      />
    </Section>
  )
}
