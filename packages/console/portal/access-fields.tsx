import { Select, SimpleGrid, Switch, type SwitchProps } from '@mantine/core'
import { useState } from 'react'
import { optionsOf } from '../components/filters/filter-params.ts'
import { useWebhookOptions } from '../components/filters/webhook-select.tsx'
import { useSession } from '../session/session.tsx'
import type { Access, PortalOptions } from './portal-options.ts'

/** By their seconds. */
const LIFETIMES = optionsOf({
  900: '15 minutes',
  3600: '1 hour',
  28800: '8 hours',
  86400: '24 hours',
})

interface AccessFieldsProps {
  readonly options: PortalOptions
  change(changed: Partial<PortalOptions>): void
}

/** What the session may see and do, and for how long. A key gives only scopes that it has. */
export function AccessFields({ options, change }: AccessFieldsProps) {
  const [search, setSearch] = useState('')
  const { webhookId } = options
  const webhooks = useWebhookOptions(search, webhookId === null ? [] : [webhookId])
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md" verticalSpacing="sm">
      <Select
        label="Webhooks"
        placeholder="All webhooks"
        data={[...webhooks].map(([value, label]) => ({ value, label }))}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All webhooks' }}
        nothingFoundMessage="No match"
        value={webhookId}
        onChange={(value) => change({ webhookId: value })}
        onSearchChange={setSearch}
      />
      <Select
        label="Session lifetime"
        data={LIFETIMES}
        allowDeselect={false}
        value={String(options.ttlSeconds)}
        onChange={(value) => change({ ttlSeconds: Number(value) })}
      />
      <AccessSwitches options={options} change={change} mt={{ base: 0, lg: 28 }} />
    </SimpleGrid>
  )
}

interface AccessSwitchesProps {
  readonly options: Access
  change(changed: Partial<Access>): void
  readonly mt?: SwitchProps['mt']
}

/** What the session may do beside reading. */
export function AccessSwitches({ options, change, mt }: AccessSwitchesProps) {
  const { can } = useSession()
  return (
    <>
      <Switch
        label="Allow changes"
        mt={mt}
        disabled={!can('webhooks:write') && !can('deliveries:write')}
        checked={options.mayChange}
        onChange={({ currentTarget }) => change({ mayChange: currentTarget.checked })}
      />
      <Switch
        label="Show signing secrets"
        mt={mt}
        disabled={!can('secrets:read')}
        checked={options.withSecrets}
        onChange={({ currentTarget }) => change({ withSecrets: currentTarget.checked })}
      />
    </>
  )
}
