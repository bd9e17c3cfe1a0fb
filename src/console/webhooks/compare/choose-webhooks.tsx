import { MultiSelect } from '@mantine/core'
import { useState } from 'react'
import { readList, writeList } from '../../components/filters/filter-params.ts'
import { useWebhookOptions } from '../../components/filters/webhook-select.tsx'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { MAX_COMPARED } from './compared-webhooks.ts'

interface ChooseWebhooksProps {
  /** The ids, as in the query parameter. */
  readonly value: string | null
  onChange(value: string | null): void
}

/** Chooses the compared webhooks, and shows each of them. Nothing without the scope to read them. */
export function ChooseWebhooks({ value, onChange }: ChooseWebhooksProps) {
  const { can } = useSession()
  const [search, setSearch] = useState('')
  const ids = [...readList(value)]
  const options = useWebhookOptions(search, ids)
  if (!can('webhooks:read')) return null
  return (
    <MultiSelect
      label={t('Webhooks')}
      size="xs"
      maw={900}
      searchable
      hidePickedOptions
      clearable
      clearButtonProps={{ 'aria-label': t('Clear: {label}', { label: t('Webhooks') }) }}
      placeholder={ids.length < MAX_COMPARED ? t('Add a webhook') : ''}
      nothingFoundMessage={t('No match')}
      maxValues={MAX_COMPARED}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      value={ids}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(chosen) => onChange(writeList(chosen))}
    />
  )
}
