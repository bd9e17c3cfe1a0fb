import { useRead } from '../../api/use-read.ts'
import { PickEventTypeDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import type { KeyValues } from './filter-params.ts'
import { FilterSelect } from './filter-select.tsx'
import { SearchField } from './search-field.tsx'

interface KeyFilterProps {
  readonly values: KeyValues
  set(values: KeyValues): void
}

/** Finds events by a value in their data. Nothing while no event type has a search key, or for those who see no events. */
export function KeyFilter({ values: { key, value }, set }: KeyFilterProps) {
  const { can } = useSession()
  const { data } = useRead(PickEventTypeDocument, {})
  const paths = new Set(data?.eventTypes.flatMap(({ searchKeys }) => searchKeys))
  if (key !== null) paths.add(key)
  const [path = null] = key === null ? paths : [key]
  if (path === null || !can('events:read')) return null
  return (
    <>
      {paths.size > 1 && (
        <FilterSelect
          label="Search key"
          w={150}
          searchable
          data={[...paths]}
          value={path}
          onChange={(chosen) => set({ key: chosen, value: chosen && value })}
        />
      )}
      <SearchField
        label={paths.size > 1 ? t('Value') : path}
        placeholder="Such as 87012"
        w={180}
        value={value}
        onChange={(text) => set({ key: text ? path : key, value: text?.trim() ?? null })}
      />
    </>
  )
}
