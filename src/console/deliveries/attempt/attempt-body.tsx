import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import { formatBytes } from '../../format.ts'
import type { BodyEncoding } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

interface AttemptBodyProps {
  readonly label: string
  readonly body: string
  readonly encoding?: BodyEncoding
  readonly truncated?: boolean
}

/** A body, raw or, if it is JSON, pretty-printed. */
export function AttemptBody(props: AttemptBodyProps) {
  const { label, body, encoding = 'UTF8', truncated = false } = props
  const [pretty, setPretty] = useState(true)
  const formatted = useMemo(
    () => (encoding === 'BASE64' ? null : formatJson(body)),
    [body, encoding],
  )
  const name = label.toLowerCase()
  if (body === '') {
    return (
      <Text size="xs" c="dimmed">
        {label}: {t('deliveries:attempts.emptyBody')}
      </Text>
    )
  }
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {label}, {formatBytes(sizeOf(body, encoding))}
          {truncated && `, ${t('deliveries:attempts.truncated')}`}
        </Text>
        <Group gap={4}>
          {formatted !== null && (
            <SegmentedControl
              size="xs"
              aria-label={t('deliveries:attempts.bodyView', { label: name })}
              data={[
                { value: 'pretty', label: t('deliveries:attempts.pretty') },
                { value: 'raw', label: t('deliveries:attempts.raw') },
              ]}
              value={pretty ? 'pretty' : 'raw'}
              onChange={(value) => setPretty(value === 'pretty')}
            />
          )}
          <CopyButton value={body} label={t('deliveries:attempts.copyBody', { label: name })} />
        </Group>
      </Group>
      <CodeBlock code={pretty && formatted !== null ? formatted : body} label={label} />
      {encoding === 'BASE64' && (
        <Text size="xs" c="dimmed">
          {t('deliveries:attempts.base64')}
        </Text>
      )}
      {truncated && (
        <Text size="xs" c="dimmed">
          {t('deliveries:attempts.kept')}
        </Text>
      )}
    </Stack>
  )
}

function sizeOf(body: string, encoding: BodyEncoding): number {
  return encoding === 'BASE64' ? atob(body).length : new TextEncoder().encode(body).length
}
