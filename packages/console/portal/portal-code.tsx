import { Code, Text } from '@mantine/core'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import { CodeTabs } from '../components/snippets/code-tabs.tsx'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'
import { PORTAL_ORIGINS } from '../page-settings.ts'
import { useSession } from '../session/session.tsx'
import { sessionRequest } from './session-request.ts'

/** Code that creates the session of the preview, and shows its portal in a page of the reader. */
export function PortalCode({ input }: { input: CreatePortalSessionInput }) {
  const { viewer, can } = useSession()
  // One key of an operator creates the sessions of all organizations.
  const actsFor = can('admin')
  const target = { origin: location.origin, organizationId: viewer.organization.id, actsFor }
  const scopes = ['keys:manage', ...input.scopes].join(', ')
  const needs = {
    HTML: 'In the page of your application. Its URL comes from your server, and grants access: give it only to the signed-in user.',
    curl: actsFor
      ? `Set POSTHORN_API_KEY to an API key with the scope admin, which names the organization in a header. A key of this organization needs no such header, and the scopes ${scopes}.`
      : `Set POSTHORN_API_KEY to an API key with the scopes ${scopes}.`,
  }
  return (
    <Section
      title="Code"
      description="Your server creates a session like that of the preview with its own API key, once for each visit, and your page shows it."
    >
      <CodeTabs
        snippets={[
          { language: 'curl', code: sessionRequest(target, input) },
          { language: 'HTML', code: html(target.origin) },
        ]}
        storedAs="posthorn.portal-in"
        needs={(language) => needs[language as keyof typeof needs]}
      />
      {PORTAL_ORIGINS.length > 0 ? (
        <Text size="sm">{`Pages of these origins may frame the portal: ${PORTAL_ORIGINS.join(', ')}.`}</Text>
      ) : (
        <Notice color="yellow" title="No application may frame the portal yet">
          Name the origins of your application in the environment of Posthorn:{' '}
          <Code style={{ overflowWrap: 'anywhere' }}>
            POSTHORN_PORTAL_ORIGINS=https://app.example.com
          </Code>
        </Notice>
      )}
    </Section>
  )
}

const html = (origin: string) => `<script type="module" src="${origin}/portal/element.js"></script>

<!-- Your server writes the URL of a new session here. -->
<posthorn-portal src="{{ portalSession.url }}"></posthorn-portal>

<script type="module">
  // Called before the session ends. This route of your server answers with the URL of a new session.
  document.querySelector('posthorn-portal').renew = async () => {
    const response = await fetch('/webhooks/portal-session', { method: 'POST' })
    return (await response.json()).url
  }
</script>`
