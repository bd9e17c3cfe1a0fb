import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { Time } from '../../components/time.tsx'
import { WebhookSecretsDocument, type WebhookSecretsQuery } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { VerifySnippets } from './verify-snippets.tsx'

interface WebhookSecretProps {
  readonly webhookId: string
  /** The prefix of the signature headers, such as `wh-`. */
  readonly headerPrefix: string
}

/** The signing secret of a webhook, requested only when the reader asks to see it, has just created or rotated it. */
export function WebhookSecret({ webhookId, headerPrefix }: WebhookSecretProps) {
  const { can } = useSession()
  const [isOpen, setOpen] = useShownOnce()
  const mayRead = can('secrets:read')
  const shown = mayRead && isOpen
  const { data, error, reload } = useRead(
    WebhookSecretsDocument,
    { id: webhookId },
    { pause: !shown, requestPolicy: 'network-only' },
  )
  const webhook = shown ? data?.webhook : undefined
  const expiring = webhook?.expiringSigningSecrets ?? []
  return (
    <Stack gap="lg">
      <Section
        title={t('Signing secret')}
        description={t(
          'Signs every delivery, so that the receiver can verify each one. Share the secret only with your receiver.',
        )}
        actions={
          mayRead && (
            <Button
              size="xs"
              variant="default"
              leftSection={shown ? <IconEyeOff size={14} /> : <IconEye size={14} />}
              onClick={() => setOpen(!shown)}
            >
              {shown ? t('Hide') : t('Show')}
            </Button>
          )
        }
      >
        {error && shown && !webhook ? (
          <QueryError error={error} reload={reload} />
        ) : (
          <SecretKey secret={webhook?.signingSecret} />
        )}
        {!mayRead && (
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
          {expiring.map((secret) => (
            <SecretKey key={secret.createdAt} secret={secret} />
          ))}
        </Section>
      )}
      <VerifySnippets headerPrefix={headerPrefix} />
    </Stack>
  )
}

/** Opens for a reader who has just made the secret. A reload, to which the history keeps its state, shows nothing. */
function useShownOnce() {
  const [isShown, setShown] = useState(false)
  const { search, state } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    if (!state?.showsSecret) return
    setShown(true)
    void navigate({ search }, { replace: true, preventScrollReset: true })
  }, [state, search, navigate])
  return [isShown, setShown] as const
}

type Secret = NonNullable<NonNullable<WebhookSecretsQuery['webhook']>['signingSecret']>

/** The key, or dots while hidden, with its time. Both have the same height. */
function SecretKey({ secret }: { secret: Secret | null | undefined }) {
  return (
    <Stack gap={6}>
      <Paper bg="var(--posthorn-sunken)" px="md" py="xs">
        <Group justify="space-between" wrap="nowrap" mih={34}>
          <span className="ph-mono">{secret?.key ?? `whsec_${'•'.repeat(20)}`}</span>
          {secret && <CopyButton labelled value={secret.key} label={t('Copy')} />}
        </Group>
      </Paper>
      <Text size="xs" c="dimmed" mih={18} component="div">
        {secret?.expiresAt
          ? rich('Expires {time}, and is then deleted.', {
              time: <Time at={secret.expiresAt} as="upcoming" />,
            })
          : secret && rich('In use since {time}', { time: <Time at={secret.createdAt} /> })}
      </Text>
    </Stack>
  )
}
