import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { useEditConflict } from '../../components/forms/edit-conflicts.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { NeedsScope } from '../../components/page/needs-scope.tsx'
import { Page } from '../../components/page/page.tsx'
import { FormSkeleton } from '../../components/page/skeletons.tsx'
import { QueryError } from '../../components/query-error.tsx'
import {
  type EventTypesFieldsFragment,
  EventTypesUpdateDocument,
  type UpdateEventTypeInput,
} from '../../generated/graphql.ts'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { useEventType } from '../event-type-queries.ts'
import { draftOf, type EventTypeDraft, type EventTypeFields } from './event-type-draft.ts'
import { EventTypeForm } from './event-type-form.tsx'

export default function EditEventTypePage() {
  const { name = '' } = useParams()
  const { eventType, missing, error, reload } = useEventType(name)
  const page = `/event-types/${name}`
  if (missing) return <NotFoundPage noun="event type" />
  return (
    <NeedsScope scope="admin" title={`Edit ${name}`}>
      <Page
        title={`Edit ${name}`}
        breadcrumbs={[
          ['Event types', '/event-types'],
          [name, page],
        ]}
        description="Changes apply at once. Published events stay unchanged."
      >
        {eventType && <Edit key={eventType.name} eventType={eventType} />}
        {!eventType && error && <QueryError error={error} reload={reload} />}
        {!eventType && !error && <FormSkeleton />}
      </Page>
    </NeedsScope>
  )
}

/** The form keeps the values of the time when the page was opened. */
function Edit({ eventType }: { eventType: EventTypesFieldsFragment }) {
  const { id, name } = eventType
  const navigate = useNavigate()
  const { run, running } = useAction(EventTypesUpdateDocument)
  const [initial] = useState(() => draftOf(eventType))
  const { ifRevision, conflict, report } = useEditConflict(eventType.revision)
  const page = `/event-types/${name}`

  async function save(changes: UpdateEventTypeInput) {
    const outcome = await run({ id, input: { ...changes, ifRevision } })
    if (outcome.ok) {
      notifySuccess(`${name} was saved.`)
      navigate(page, { replace: true })
    } else report(outcome.conflict ?? null)
    return outcome
  }

  return (
    <EventTypeForm
      initial={initial}
      exists
      running={running}
      back={page}
      onSave={({ acceptBrokenSelections = null, ...fields }, draft) =>
        save({ ...changesOf(fields, draft, initial), acceptBrokenSelections })
      }
      conflict={conflict}
    />
  )
}

/** The fields whose texts the reader changed, so that concurrent changes of the others stay. */
function changesOf(fields: EventTypeFields, draft: EventTypeDraft, initial: EventTypeDraft) {
  const changed = Object.entries(fields).filter(
    ([name]) => draft[name as keyof EventTypeDraft] !== initial[name as keyof EventTypeDraft],
  )
  return Object.fromEntries(changed)
}
