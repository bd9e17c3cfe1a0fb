import { useState } from 'react'
import { useSession } from '../../session/session.tsx'
import { FilterMultiSelect } from './filter-multi-select.tsx'
import { useWebhookOptions } from './use-webhook-options.ts'

interface WebhookMultiSelectProps {
  readonly values: readonly string[]
  onChange(webhookIds: readonly string[]): void
}

/** Picks webhooks by their descriptions or URLs. Nothing without the scope to read them. */
export function WebhookMultiSelect({ values, onChange }: WebhookMultiSelectProps) {
  const { can } = useSession()
  const [search, setSearch] = useState('')
  const all = useWebhookOptions(search, values)
  if (!can('webhooks:read')) return null
  return (
    <FilterMultiSelect
      label="Webhook"
      w={190}
      searchable
      options={[...all].map(([value, label]) => ({ value, label }))}
      values={values}
      onChange={onChange}
      onSearch={setSearch}
    />
  )
}
