import { Group, Paper, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../components/copy-button.tsx'
import { Time } from '../../components/time.tsx'
import type { WebhookSecretsQuery } from '../../generated/graphql.ts'
import { rich, t } from '../../language/t.ts'

type Secret = NonNullable<NonNullable<WebhookSecretsQuery['webhook']>['signingSecret']>

/** The key, or dots while hidden. Both have the same height. */
export function SecretKey({ secret }: { secret: Secret | null | undefined }) {
  return (
    <Stack gap={6}>
      <Paper bg="var(--posthorn-sunken)" px="md" py="xs" mih={52}>
        <Group justify="space-between" wrap="nowrap" mih={34}>
          <span className="ph-mono">{secret?.key ?? `whsec_${'•'.repeat(20)}`}</span>
          {secret && <CopyButton labelled value={secret.key} label={t('Copy')} />}
        </Group>
      </Paper>
      <Text size="xs" c="dimmed" mih={18} component="div">
        {secret && <>{rich('In use since {time}', { time: <Time at={secret.createdAt} /> })}</>}
      </Text>
    </Stack>
  )
}

/** A key that was rotated out, with its expiry. */
export function ExpiringSecret({ secret }: { secret: Secret }) {
  return (
    <Stack gap={6}>
      <Paper bg="var(--posthorn-sunken)" px="md" py="xs">
        <Group justify="space-between" wrap="nowrap">
          <span className="ph-mono">{secret.key}</span>
          <CopyButton labelled value={secret.key} label={t('Copy')} />
        </Group>
      </Paper>
      {secret.expiresAt && (
        <Text size="xs" c="dimmed" component="div">
          {rich('Expires {time}, and is then deleted.', {
            time: <Time at={secret.expiresAt} as="upcoming" />,
          })}
        </Text>
      )}
    </Stack>
  )
}
