import { useState } from 'react'
import { useSession } from '../../session/session.tsx'
import { FilterMultiSelect } from './filter-multi-select.tsx'
import { readList } from './list-param.ts'
import { useWebhookOptions } from './use-webhook-options.ts'

interface WebhookMultiSelectProps {
  readonly value: string | null
  onChange(value: string | null): void
}

/** Picks webhooks by their descriptions or URLs. Nothing without the scope to read them. */
export function WebhookMultiSelect({ value, onChange }: WebhookMultiSelectProps) {
  const { can } = useSession()
  const [search, setSearch] = useState('')
  const all = useWebhookOptions(search, readList(value))
  if (!can('webhooks:read')) return null
  return (
    <FilterMultiSelect
      label="Webhook"
      w={190}
      searchable
      options={[...all].map(([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
      onSearch={setSearch}
    />
  )
}
