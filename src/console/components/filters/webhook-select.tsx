import { useState } from 'react'
import { useSession } from '../../session/session.tsx'
import { FilterSelect } from './filter-select.tsx'
import { useWebhookOptions } from './use-webhook-options.ts'

interface WebhookSelectProps {
  readonly value: string | null
  onChange(webhookId: string | null): void
  readonly w?: number
}

/** Picks one webhook by its description or URL. Nothing without the scope to read them. */
export function WebhookSelect({ value, onChange, w = 260 }: WebhookSelectProps) {
  const { can } = useSession()
  const [search, setSearch] = useState('')
  const all = useWebhookOptions(search, value === null ? [] : [value])
  if (!can('webhooks:read')) return null
  return (
    <FilterSelect
      label="Webhook"
      w={w}
      searchable
      data={[...all].map(([value, label]) => ({ value, label }))}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
    />
  )
}
