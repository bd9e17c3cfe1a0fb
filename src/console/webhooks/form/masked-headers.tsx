import { Button, Group, Stack, Text } from '@mantine/core'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import type { HeaderRow } from './webhook-form-values.ts'

interface MaskedHeadersProps {
  readonly headers: readonly HeaderRow[]
  replace(): void
}

/** Headers with masked values. They stay unchanged unless all of them are replaced. */
export function MaskedHeaders({ headers, replace }: MaskedHeadersProps) {
  const { can } = useSession()
  return (
    <Stack gap="sm">
      <Text size="sm">
        {can('secrets:read')
          ? 'No encryption key of this installation can decrypt these headers. Enter them again.'
          : 'The values may be credentials; reading them requires the scope secrets:read. They stay unchanged unless you replace all headers.'}
      </Text>
      <Stack gap={4}>
        {headers.map(({ key, name, value }) => (
          <Text key={key} size="sm" className="ph-mono">
            {name}: {value}
          </Text>
        ))}
      </Stack>
      <Group>
        <Button size="xs" variant="default" onClick={replace}>
          {t('webhooks:maskedHeaders.replace')}
        </Button>
      </Group>
    </Stack>
  )
}
