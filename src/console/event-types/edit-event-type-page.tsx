import { useNavigate, useParams } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { notifySuccess } from '../components/notify.ts'
import { FormSkeleton } from '../components/page/form-skeleton.tsx'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { QueryError } from '../components/query-error.tsx'
import { EventTypesUpdateDocument } from '../generated/graphql.ts'
import NotFoundPage from '../shell/not-found-page.tsx'
import { t } from '../strings/t.ts'
import { EventTypeForm } from './event-type-form.tsx'
import { useEventType } from './use-event-type.ts'

export default function EditEventTypePage() {
  const { name = '' } = useParams()
  const navigate = useNavigate()
  const { eventType, missing, error, reload } = useEventType(name)
  const { run, running } = useAction(EventTypesUpdateDocument)
  const page = `/event-types/${name}`
  if (missing) return <NotFoundPage noun={t('eventTypes:editEventTypePage.noun')} />
  return (
    <NeedsScope scope="admin" title={`Edit ${name}`}>
      <Page
        title={`Edit ${name}`}
        breadcrumbs={[
          ['Event types', '/event-types'],
          [name, page],
        ]}
        description={t('eventTypes:editEventTypePage.description')}
      >
        {eventType && (
          <EventTypeForm
            initial={{
              name,
              description: eventType.description,
              schema: toJsonText(eventType.schema),
              example: toJsonText(eventType.example),
              searchKeys: eventType.searchKeys.join('\n'),
            }}
            exists
            running={running}
            back={page}
            onSave={async ({ name: _, ...input }) => {
              const outcome = await run({ name, input })
              if (outcome.ok) {
                notifySuccess(`${name} was saved.`)
                navigate(page, { replace: true })
              }
              return outcome
            }}
          />
        )}
        {!eventType && error && <QueryError error={error} retry={reload} />}
        {!eventType && !error && <FormSkeleton />}
      </Page>
    </NeedsScope>
  )
}

const toJsonText = (value: unknown) =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
