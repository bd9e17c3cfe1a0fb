import { useForm } from '@mantine/form'
import { useState } from 'react'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import { useSession } from '../session/session.tsx'
import { LinkToSend } from './link-to-send.tsx'
import { PortalCode } from './portal-code.tsx'
import { PortalForm } from './portal-form.tsx'
import { DEFAULTS, inputOf, type PortalOptions, scopesOf } from './portal-options.ts'
import { PortalPreview } from './portal-preview.tsx'

export default function PortalPage() {
  const { can } = useSession()
  return (
    <Page
      title="Portal"
      description="Your customers manage their webhooks in the portal, inside your application. Choose how it looks and what it allows, and copy the code that opens it."
    >
      {scopesOf(DEFAULTS, can).length > 0 ? (
        <Portal />
      ) : (
        <EmptyState title="There is nothing to show in a portal">
          A portal session has only scopes of your API key. Sign in with a key that has
          webhooks:read, deliveries:read or events:read.
        </EmptyState>
      )}
    </Page>
  )
}

function Portal() {
  const { can } = useSession()
  const form = useForm<PortalOptions>({
    initialValues: DEFAULTS,
    validate: { pages: (pages) => (pages.length === 0 ? 'Choose at least one page.' : null) },
  })
  // Each round is a new session.
  const [{ input, round }, setShown] = useState({ input: inputOf(DEFAULTS, can), round: 0 })
  const show = (options: PortalOptions) => {
    setShown({ input: inputOf(options, can), round: round + 1 })
  }
  return (
    <>
      <PortalForm form={form} onSubmit={show} />
      <PortalPreview
        input={input}
        round={round}
        onRejected={(issues) => {
          form.setErrors(
            Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message])),
          )
        }}
        retry={() => show(form.values)}
      />
      <Section
        title="Link"
        description="A link to this portal that you can send, such as to a customer without an account in your application."
      >
        <LinkToSend key={round} input={input} />
      </Section>
      <PortalCode input={input} />
    </>
  )
}
