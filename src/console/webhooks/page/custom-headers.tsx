import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Section } from '../../components/page/section.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import { areMasked } from '../form/webhook-form-values.ts'

/** The custom headers of a webhook. The values may be credentials, so they are shown only on request. */
export function CustomHeaders({ headers }: Pick<WebhookSettingsFragment, 'headers'>) {
  const { can } = useSession()
  const [shown, setShown] = useState(false)
  const masked = areMasked(headers)
  return (
    <Section
      title={t('webhooks:customHeaders.title')}
      description={masked && !can('secrets:read') && t('webhooks:customHeaders.needsScope')}
      actions={
        headers.length > 0 &&
        !masked && (
          <Button size="xs" variant="default" onClick={() => setShown(!shown)}>
            {shown ? t('webhooks:customHeaders.hide') : t('webhooks:customHeaders.show')}
          </Button>
        )
      }
    >
      {headers.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('webhooks:customHeaders.empty')}
        </Text>
      ) : (
        <Stack gap={4}>
          {headers.map(({ name, value }) => (
            <Text key={name} size="sm" className="ph-mono">
              {name}: {shown || masked ? value : '••••••'}
            </Text>
          ))}
        </Stack>
      )}
    </Section>
  )
}
