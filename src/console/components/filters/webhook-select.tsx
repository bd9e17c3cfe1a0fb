import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { hostAndPath } from '../../format.ts'
import { PickWebhookDocument } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { FilterSelect } from './filter-select.tsx'

interface WebhookSelectProps {
  readonly value: string | null
  onChange(webhookId: string | null): void
  readonly w?: number
}

/** Picks a webhook by its URL. Lists the first 100; beyond them, searches for URLs that contain the typed text. */
export function WebhookSelect({ value, onChange, w = 260 }: WebhookSelectProps) {
  const { can } = useSession()
  const [search, setSearch] = useState('')
  const [typed] = useDebouncedValue(search, 250)
  const hidden = !can('webhooks:read')
  const { data } = useRead(PickWebhookDocument, {}, { pause: hidden })
  const known = data?.webhooks?.nodes ?? []
  const isMore = known.length === 100 && typed !== '' && !known.some(({ url }) => url === typed)
  const { data: found } = useRead(
    PickWebhookDocument,
    { filter: { urlContains: typed } },
    { pause: hidden || !isMore },
  )
  if (hidden) return null
  const all = new Map(
    [...known, ...(isMore ? (found?.webhooks?.nodes ?? []) : [])].map(({ id, url }) => [id, url]),
  )
  if (value !== null && !all.has(value)) all.set(value, value)
  return (
    <FilterSelect
      label="Webhook"
      w={w}
      searchable
      data={[...all].map(([id, url]) => ({ value: id, label: hostAndPath(url) }))}
      value={value}
      onChange={onChange}
      onSearchChange={setSearch}
    />
  )
}
