import { useNavigate } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { notifySuccess } from '../components/notify.ts'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { EventTypesCreateDocument } from '../generated/graphql.ts'
import { EventTypeForm } from './event-type-form.tsx'

const EMPTY_DRAFT = { name: '', description: '', schema: '', example: '' }

export default function NewEventTypePage() {
  const navigate = useNavigate()
  const { run, running } = useAction(EventTypesCreateDocument)
  return (
    <NeedsScope scope="admin" title="Add an event type">
      <Page
        title="Add an event type"
        breadcrumbs={[['Event types', '/event-types']]}
        description="It joins the catalogue of all organizations: from then on it can be published and subscribed to."
      >
        <EventTypeForm
          initial={EMPTY_DRAFT}
          exists={false}
          running={running}
          back="/event-types"
          onSave={async (input) => {
            const outcome = await run({ input })
            if (outcome.ok) {
              notifySuccess(`${input.name} is in the catalogue.`)
              navigate(`/event-types/${input.name}`, { replace: true })
            }
            return outcome
          }}
        />
      </Page>
    </NeedsScope>
  )
}
