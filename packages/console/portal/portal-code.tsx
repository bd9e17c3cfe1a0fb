import { Code, Text } from '@mantine/core'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import { CodeTabs } from '../components/snippets/code-tabs.tsx'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'
import { PORTAL_ORIGINS } from '../page-settings.ts'
import { useSession } from '../session/session.tsx'
import { portalSnippets } from './portal-snippets.ts'

/** Code that creates the session of the preview, and shows its portal in a page of the reader. */
export function PortalCode({ input }: { input: CreatePortalSessionInput }) {
  const { viewer, can } = useSession()
  // One key of an operator creates the sessions of all organizations.
  const actsFor = can('admin')
  const organizationId = viewer.organization.id
  const snippets = portalSnippets({ origin: location.origin, organizationId, actsFor }, input)
  const scopes = ['keys:manage', ...input.scopes].join(', ')
  return (
    <Section
      title="Code"
      description="Creates a session like that of the preview. Your server runs it with its own API key, once for each visit."
    >
      <CodeTabs
        snippets={snippets}
        storedAs="posthorn.portal-in"
        needs={(language) =>
          language === 'HTML'
            ? 'In the page of your application. Its URL comes from your server, and grants access: give it only to the signed-in user.'
            : actsFor
              ? `Set POSTHORN_API_KEY to an API key with the scope admin, which names the organization in a header. A key of this organization needs no such header, and the scopes ${scopes}.`
              : `Set POSTHORN_API_KEY to an API key with the scopes ${scopes}.`
        }
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
