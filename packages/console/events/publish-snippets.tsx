import { useRead } from '../api/use-read.ts'
import { Section } from '../components/page/section.tsx'
import { CodeTabs } from '../components/snippets/code-tabs.tsx'
import { PublishSubscriptionsDocument } from '../generated/graphql.ts'
import { mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import { publishSnippets } from './publish-code.ts'

interface PublishSnippetsProps {
  readonly type: string
  /** The data of the event. */
  readonly example: unknown
}

/** Code that publishes an event of this type for the reader's organization, in four languages. */
export function PublishSnippets({ type, example }: PublishSnippetsProps) {
  const { viewer } = useSession()
  const snippets = publishSnippets({
    origin: location.origin,
    organizationId: viewer.organization.id,
    actsFor: mount.organizationId !== null,
    type,
    data: example ?? {},
  })
  return (
    <CodeTabs
      snippets={snippets}
      storedAs="posthorn.publish-in"
      needs={(language) =>
        language === 'SQL'
          ? 'Runs in the database of Posthorn. The event exists if and only if your transaction commits.'
          : 'Set POSTHORN_API_KEY to an API key with the scope events:publish.'
      }
    />
  )
}

/** After a webhook was created: code that publishes an event which the webhook receives. */
export function PublishNext({ webhookId }: { webhookId: string }) {
  const { data } = useRead(PublishSubscriptionsDocument, { id: webhookId })
  const subscriptions = data?.webhook?.eventSubscriptions.map(({ name }) => name) ?? []
  const type = data?.eventTypes.find(({ name }) => subscriptions.includes(name))
  if (!type) return null
  return (
    <Section title="Publish" description="Code that publishes an event for this webhook.">
      <PublishSnippets type={type.name} example={type.example} />
    </Section>
  )
}
