import { Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterMultiSelect } from '../components/filters/filter-multi-select.tsx'
import { optionsOf, readOptions, TIME_FILTERS } from '../components/filters/filter-params.ts'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import type { AuditFilter, AuditSource, AuditSubjectKind } from '../generated/graphql.ts'
import { actorName, useActors } from './actors.ts'
import { ACTIONS, SOURCES } from './audit-actions.ts'
import { AuditList } from './audit-list.tsx'

const FILTERS = ['action', 'actor', 'subject', ...TIME_FILTERS] as const

/** All but sessions and sign-ins, which would be half of the log. */
const DEFAULT_KINDS: AuditSubjectKind[] = [
  ...(['WEBHOOK', 'API_KEY', 'DELIVERY', 'BULK_TASK', 'EVENT_TYPE', 'ORGANIZATION'] as const),
  ...(['INCIDENT', 'ENCRYPTION', 'ALERTS', 'CONSUMER'] as const),
]

export default function AuditLogPage() {
  const { values, set, active, clear } = useFilters(FILTERS)
  const { action, actor, subject } = values
  const isChosen = action !== null || actor !== null || subject !== null
  const actions = readOptions(action, ACTIONS)
  const actors = useActors()
  // The chosen one may be of another organization, or have signed in long ago.
  const known = new Set([...actors.keys(), ...(actor === null || isSource(actor) ? [] : [actor])])
  const actorOption = (value: string) => ({ value, label: actorName(value, actors) })
  return (
    <Page
      title="Audit log"
      description="Every change in this organization: the actor, the time and the source. Sign-ins and sessions appear when you choose their action. Published events are not included; see Events."
    >
      <FilterBar active={active} clear={clear}>
        <FilterSelect
          label="Actor"
          w={220}
          searchable
          data={[
            { group: 'People and API keys', items: [...known].map(actorOption) },
            { group: 'Sources', items: optionsOf(SOURCES) },
          ]}
          value={actor}
          onChange={(value) => set({ actor: value })}
        />
        <FilterMultiSelect
          label="Action"
          w={190}
          searchable
          options={ACTIONS}
          value={action}
          onChange={(value) => set({ action: value })}
        />
        <TimeRange values={values} set={set} />
        {subject !== null && (
          <Button
            size="xs"
            variant="light"
            title="Show all targets"
            rightSection={<IconX size={12} />}
            onClick={() => set({ subject: null })}
          >
            {`Target: ${subject}`}
          </Button>
        )}
      </FilterBar>
      <AuditList
        label="Changes, newest first"
        filter={{
          ...useTimeRange(values),
          ...(actor !== null && byActor(actor)),
          ...(actions.length > 0 && { actions }),
          ...(subject !== null && { subjectIds: [subject] }),
          ...(!isChosen && { subjectKinds: DEFAULT_KINDS }),
        }}
        clearFilters={active && clear}
        empty={
          <EmptyState title="No changes yet">
            Changes appear here, such as a new webhook or API key.
          </EmptyState>
        }
      />
    </Page>
  )
}

const isSource = (actor: string): actor is AuditSource => Object.hasOwn(SOURCES, actor)

function byActor(actor: string): AuditFilter {
  if (isSource(actor)) return { sources: [actor] }
  return /^key_[0-9a-z]{26}$/.test(actor) ? { apiKeyIds: [actor] } : { people: [actor] }
}
