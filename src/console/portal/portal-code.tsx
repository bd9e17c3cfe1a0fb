import { Code, Text } from '@mantine/core'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import { CodeTabs } from '../components/snippets/code-tabs.tsx'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'
import { PORTAL_ORIGINS } from '../session/portal-origins.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
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
    <Section title={t('portal:code.title')} description={t('portal:code.description')}>
      <CodeTabs
        snippets={snippets}
        storedAs="posthorn.portal-in"
        needs={(language) =>
          language === 'HTML'
            ? t('portal:code.page')
            : t(actsFor ? 'portal:code.needsAdmin' : 'portal:code.needs', { scopes })
        }
      />
      {PORTAL_ORIGINS.length > 0 ? (
        <Text size="sm">{t('portal:code.origins', { origins: PORTAL_ORIGINS.join(', ') })}</Text>
      ) : (
        <Notice color="yellow" title={t('portal:code.noOrigins')}>
          {t('portal:code.setOrigins')}{' '}
          <Code style={{ overflowWrap: 'anywhere' }}>
            POSTHORN_PORTAL_ORIGINS=https://app.example.com
          </Code>
        </Notice>
      )}
    </Section>
  )
}
