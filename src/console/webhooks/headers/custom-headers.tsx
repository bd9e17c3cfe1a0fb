import { Stack, Text } from '@mantine/core'
import { Section } from '../../components/page/section.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import { MASK } from './mask.ts'
import { RevealButton } from './reveal-button.tsx'
import { useRevealedHeaders } from './use-revealed-headers.ts'

interface CustomHeadersProps {
  readonly webhook: Pick<WebhookSettingsFragment, 'id' | 'headerNames'>
}

/** The custom headers of a webhook. The values may be credentials, so they are requested only when asked for. */
export function CustomHeaders({ webhook }: CustomHeadersProps) {
  const { can } = useSession()
  const { values, reveal, running, hide } = useRevealedHeaders(webhook.id)
  const { headerNames } = webhook
  const hasHeaders = headerNames != null && headerNames.length > 0
  return (
    <Section
      title={t('webhooks:customHeaders.title')}
      description={
        hasHeaders &&
        (can('secrets:read')
          ? t('webhooks:customHeaders.audited')
          : t('webhooks:customHeaders.needsScope'))
      }
      actions={
        hasHeaders &&
        can('secrets:read') && (
          <RevealButton
            revealed={values !== null}
            running={running}
            onReveal={reveal}
            onHide={hide}
          />
        )
      }
    >
      {hasHeaders ? (
        <Stack gap={4}>
          {headerNames.map((name) => (
            <Text key={name} size="sm" className="ph-mono" style={{ overflowWrap: 'anywhere' }}>
              {name}: {values?.get(name) ?? MASK}
            </Text>
          ))}
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          {headerNames == null
            ? t('webhooks:customHeaders.unreadable')
            : t('webhooks:customHeaders.empty')}
        </Text>
      )}
    </Section>
  )
}
