import { useRead } from '../api/use-read.ts'
import { Section } from '../components/page/section.tsx'
import { OnboardingSubscriptionsDocument } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { PublishSnippets } from './publish-snippets.tsx'

/** After a webhook was created: code that publishes an event which the webhook receives. */
export function PublishNext({ webhookId }: { webhookId: string }) {
  const { data } = useRead(OnboardingSubscriptionsDocument, { id: webhookId })
  const subscriptions = data?.webhook?.eventSubscriptions.map(({ name }) => name) ?? []
  const type = data?.eventTypes.find(({ name }) => subscriptions.includes(name))
  if (!type) return null
  return (
    <Section title={t('onboarding:snippets.title')} description={t('onboarding:snippets.next')}>
      <PublishSnippets type={type.name} example={type.example} />
    </Section>
  )
}
