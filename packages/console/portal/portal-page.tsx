import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Rejection } from '../api/use-action.ts'
import { fieldErrorsOf } from '../components/forms/field-errors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Section } from '../components/page/section.tsx'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { AccessFields } from './access-fields.tsx'
import { LinkToSend } from './link-to-send.tsx'
import { PortalCode } from './portal-code.tsx'
import { DEFAULTS, inputOf, type PortalOptions, scopesOf } from './portal-options.ts'
import { PortalPreview, type PreviewWidth } from './portal-preview.tsx'
import { THEME_FIELDS, ThemeFields } from './theme-fields.tsx'

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

interface Shown {
  readonly input: CreatePortalSessionInput
  /** Each round is a new session. */
  readonly round: number
}

function Portal() {
  const { can, viewer } = useSession()
  const [options, setOptions] = useState(DEFAULTS)
  const [{ input, round }, setShown] = useState<Shown>({ input: inputOf(DEFAULTS, can), round: 0 })
  const [width, setWidth] = useState<PreviewWidth>('full')
  const [rejection, setRejection] = useState<Rejection | null>(null)
  const errors = rejection ? fieldErrorsOf(withoutTheme(rejection), THEME_FIELDS) : {}

  function change(changed: Partial<PortalOptions>) {
    setOptions({ ...options, ...changed })
  }

  function show() {
    setRejection(null)
    setShown({ input: inputOf(options, can), round: round + 1 })
  }

  return (
    <>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          show()
        }}
      >
        <Stack gap="md">
          <Section title="Appearance">
            <ThemeFields options={options} errors={errors} change={change} />
          </Section>
          <Section title="Access">
            <AccessFields options={options} change={change} />
          </Section>
          <Group justify="end">
            <Button type="submit">Update preview</Button>
          </Group>
        </Stack>
      </form>
      <PortalPreview
        key={round}
        input={input}
        width={width}
        onWidth={setWidth}
        onRejected={setRejection}
        retry={show}
      />
      <Section
        title="Link"
        description="A link to this portal that you can send, such as to a customer without an account in your application."
      >
        <LinkToSend organization={viewer.organization} input={input} />
      </Section>
      <PortalCode input={input} />
    </>
  )
}

/** The paths of the fields of the theme, as the form has them. */
function withoutTheme({ message, issues }: Rejection): Rejection {
  const paths = issues.map(({ path, ...issue }) => ({
    ...issue,
    path: path.filter((name) => name !== 'theme'),
  }))
  return { message, issues: paths }
}
