import { Skeleton } from '@mantine/core'
import { useNavigate, useParams } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { Failure } from '../components/failure.tsx'
import { notifyDone } from '../components/notify.ts'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { EventTypesUpdateDocument } from '../generated/graphql.ts'
import NotFoundPage from '../shell/not-found-page.tsx'
import { EventTypeForm } from './event-type-form.tsx'
import { useEventType } from './use-event-type.ts'

export default function EditEventTypePage() {
  const { name = '' } = useParams()
  const navigate = useNavigate()
  const { eventType, missing, error, reload } = useEventType(name)
  const { run, running } = useAction(EventTypesUpdateDocument)
  const page = `/event-types/${name}`
  if (missing) return <NotFoundPage what="event type" />
  return (
    <NeedsScope scope="admin" title={`Edit ${name}`}>
      <Page
        title={`Edit ${name}`}
        above={[
          ['Event types', '/event-types'],
          [name, page],
        ]}
        description="A change acts at once. What was published stays as it was."
      >
        {eventType && (
          <EventTypeForm
            initial={{
              name,
              description: eventType.description,
              schema: written(eventType.schema),
              example: written(eventType.example),
            }}
            exists
            running={running}
            back={page}
            onSave={async ({ description, schema, example }) => {
              const outcome = await run({ name, input: { description, schema, example } })
              if (outcome.ok) {
                notifyDone(`${name} is changed.`)
                navigate(page, { replace: true })
              }
              return outcome
            }}
          />
        )}
        {!eventType && error && <Failure error={error} retry={reload} />}
        {!eventType && !error && <Skeleton height={480} radius="md" maw={760} />}
      </Page>
    </NeedsScope>
  )
}

const written = (value: unknown) =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
