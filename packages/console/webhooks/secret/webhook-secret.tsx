import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconEye, IconEyeOff, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { WebhookSecretsDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { ExpiringSecret, SecretKey } from './secret-key.tsx'
import { VerifySnippets } from './verify-snippets.tsx'

interface WebhookSecretProps {
  readonly webhookId: string
  /** The prefix of the signature headers, such as `wh-`. */
  readonly headerPrefix: string
}

/** The signing secret of a webhook, requested only when the reader asks to see it. */
export function WebhookSecret({ webhookId, headerPrefix }: WebhookSecretProps) {
  const { can } = useSession()
  const isNew = useLocation().state?.created === true
  const [shown, setShown] = useState(isNew && can('secrets:read'))
  const [rotating, rotate] = useDisclosure()
  const { data, error, reload } = useRead(
    WebhookSecretsDocument,
    { id: webhookId },
    { pause: !shown, requestPolicy: 'network-only' },
  )
  const webhook = shown ? data?.webhook : undefined
  function showRotated() {
    if (shown) reload()
    else setShown(can('secrets:read'))
  }
  const expiring = webhook?.expiringSigningSecrets ?? []
  return (
    <Stack gap="lg">
      <Section
        title={t('Signing secret')}
        description={t(
          'Signs every delivery, so that the receiver can verify each one. Share the secret only with your receiver.',
        )}
        actions={
          <Group gap="xs">
            {can('secrets:read') && (
              <Button
                size="xs"
                variant="default"
                leftSection={shown ? <IconEyeOff size={14} /> : <IconEye size={14} />}
                onClick={() => setShown(!shown)}
              >
                {shown ? t('Hide') : t('Show')}
              </Button>
            )}
            {can('secrets:rotate') && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} />}
                onClick={rotate.open}
              >
                {t('Rotate')}
              </Button>
            )}
          </Group>
        }
      >
        {error && shown && !webhook ? (
          <QueryError error={error} reload={reload} />
        ) : (
          <SecretKey secret={webhook?.signingSecret} />
        )}
        {!can('secrets:read') && (
          <Text size="sm" c="dimmed">
            {t('Reading the secret requires the scope secrets:read.')}
          </Text>
        )}
      </Section>
      {expiring.length > 0 && (
        <Section
          title={t('Rotated out')}
          description="This secret no longer signs deliveries. Your receiver should accept the secret until it expires, for deliveries already sent."
        >
          <SimpleGrid cols={1}>
            {expiring.map((secret) => (
              <ExpiringSecret key={secret.createdAt} secret={secret} />
            ))}
          </SimpleGrid>
        </Section>
      )}
      <VerifySnippets headerPrefix={headerPrefix} />
      <RotateSecret
        webhookId={webhookId}
        opened={rotating}
        close={rotate.close}
        done={showRotated}
      />
    </Stack>
  )
}
