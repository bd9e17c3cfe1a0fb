import { Stack, Text } from '@mantine/core'
import { Section } from '../../components/page/section.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { RevealButton } from './reveal-button.tsx'
import { MASK, useRevealedHeaders } from './use-revealed-headers.ts'

interface CustomHeadersProps {
  readonly webhook: Pick<WebhookSettingsFragment, 'id' | 'headerNames'>
}

/** The custom headers of a webhook. The values may be credentials, so they are requested only when asked for. */
export function CustomHeaders({ webhook }: CustomHeadersProps) {
  const { can } = useSession()
  const { values, reveal, running, hide } = useRevealedHeaders(webhook.id)
  const { headerNames } = webhook
  const hasHeaders = headerNames.length > 0
  return (
    <Section
      title={t('Custom headers')}
      description={
        hasHeaders &&
        (can('secrets:read')
          ? 'The values may be credentials. Revealing them is recorded in the audit log.'
          : 'The values may be credentials. Reading them requires the scope secrets:read.')
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
          No custom headers.
        </Text>
      )}
    </Section>
  )
}
