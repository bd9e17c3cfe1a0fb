import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { PickWebhookDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { webhookOption } from '../../webhooks/webhook-name.ts'
import { FilterMultiSelect } from './filter-multi-select.tsx'
import { readList } from './filter-params.ts'

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
      label={t('Webhook')}
      w={190}
      searchable
      options={[...all].map(([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
      onSearch={setSearch}
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
  const { can } = useSession()
  const [typed] = useDebouncedValue(search, 250)
  const hidden = !can('webhooks:read')
  const { data } = useRead(PickWebhookDocument, {}, { pause: hidden })
  const known = data?.webhooks?.nodes ?? []
  const isMore =
    known.length === 100 && typed !== '' && !known.some((one) => webhookOption(one) === typed)
  const { data: found } = useRead(
    PickWebhookDocument,
    { filter: { search: typed } },
    { pause: hidden || !isMore },
  )
  const all = new Map(
    [...known, ...(isMore ? (found?.webhooks?.nodes ?? []) : [])].map((webhook) => [
      webhook.id,
      webhookOption(webhook),
    ]),
  )
  for (const id of chosen) if (!all.has(id)) all.set(id, id)
  return all
}
