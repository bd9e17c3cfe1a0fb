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
  const options = [...useWebhookOptions(search, [])].map(([value, label]) => ({ value, label }))
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
 * The webhooks to choose from: the first 100 and, if there are more, those whose URL or description contains the searched
 * text. Ids map to names; a chosen webhook that is not among them maps to its id.
 */
export function useWebhookOptions(
  search: string,
  chosen: readonly string[],
): ReadonlyMap<string, string> {
  const hidden = !useSession().can('webhooks:read')
  const [typed] = useDebouncedValue(search, 250)
  const { data } = useRead(PickWebhookDocument, {}, { pause: hidden })
  const known = data?.webhooks?.nodes ?? []
  const isMore = known.length === 100 && typed !== ''
  const { data: found } = useRead(
    PickWebhookDocument,
    { filter: { search: typed } },
    { pause: hidden || !isMore },
  )
  const all = new Map(chosen.map((id) => [id, id]))
  for (const one of [...known, ...(found?.webhooks?.nodes ?? [])])
    all.set(one.id, webhookOption(one))
  return all
}
