import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { PickWebhookDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { webhookOption } from '../../webhooks/webhook-name.ts'
import { FilterMultiSelect } from './filter-multi-select.tsx'

interface WebhookMultiSelectProps {
  readonly value: string | null
  onChange(value: string | null): void
}

/** Picks webhooks by their descriptions or URLs. Nothing without the scope to read them. */
export function WebhookMultiSelect(props: WebhookMultiSelectProps) {
  const { can } = useSession()
  const [search, setSearch] = useState('')
  const options = [...useWebhookOptions(search)].map(([value, label]) => ({ value, label }))
  if (!can('webhooks:read')) return null
  return (
    <FilterMultiSelect
      label={t('Webhook')}
      w={190}
      searchable
      options={options}
      onSearch={setSearch}
      {...props}
    />
  )
}

/**
 * The webhooks to choose from, as ids that map to names: those whose URL or description contains the searched text. What
 * was found before stays, so that a chosen webhook keeps its name.
 */
export function useWebhookOptions(
  search: string,
  chosen: readonly string[] = [],
): ReadonlyMap<string, string> {
  const pause = !useSession().can('webhooks:read')
  const [typed] = useDebouncedValue(search, 250)
  const { data } = useRead(PickWebhookDocument, { filter: { search: typed || null } }, { pause })
  const [found] = useState(() => new Map(chosen.map((id) => [id, id])))
  for (const one of data?.webhooks?.nodes ?? []) found.set(one.id, webhookOption(one))
  return found
}
