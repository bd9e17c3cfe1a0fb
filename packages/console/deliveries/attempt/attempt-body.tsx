import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import type { BodyEncoding } from '../../generated/graphql.ts'
import { inSentence } from '../../language/t.ts'
import { formatBytes } from '../../lib/format.ts'

interface AttemptBodyProps {
  readonly label: string
  readonly body: string
  readonly encoding?: BodyEncoding
  readonly truncated?: boolean
  /** The size of a body that is not kept. */
  readonly unkeptBytes?: number | null | undefined
}

/** A body, raw or, if it is JSON, pretty-printed. */
export function AttemptBody(props: AttemptBodyProps) {
  const { label, body, encoding = 'UTF8', truncated = false } = props
  const [pretty, setPretty] = useState(true)
  const formatted = useMemo(
    () => (encoding === 'BASE64' ? null : formatJson(body)),
    [body, encoding],
  )
  const name = inSentence(label)
  if (props.unkeptBytes != null) {
    return (
      <Text size="xs" c="dimmed">
        {`${label}: ${formatBytes(props.unkeptBytes)}, not kept. The settings keep no response bodies.`}
      </Text>
    )
  }
  if (body === '') {
    return (
      <Text size="xs" c="dimmed">
        {`${label}: empty`}
      </Text>
    )
  }
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {label}, {formatBytes(sizeOf(body, encoding))}
          {truncated && `, ${'truncated'}`}
        </Text>
        <Group gap={4}>
          {formatted !== null && (
            <SegmentedControl
              size="xs"
              aria-label={`View of the ${name}`}
              data={[
                { value: 'pretty', label: 'Pretty' },
                { value: 'raw', label: 'Raw' },
              ]}
              value={pretty ? 'pretty' : 'raw'}
              onChange={(value) => setPretty(value === 'pretty')}
            />
          )}
          <CopyButton value={body} label={`Copy the ${name}`} />
        </Group>
      </Group>
      <CodeBlock code={pretty && formatted !== null ? formatted : body} label={label} />
      {encoding === 'BASE64' && (
        <Text size="xs" c="dimmed">
          Shown in base64, because this is not UTF-8 text.
        </Text>
      )}
      {truncated && (
        <Text size="xs" c="dimmed">
          Posthorn records the first 16 KiB that arrive within 2 seconds.
        </Text>
      )}
    </Stack>
  )
}

function sizeOf(body: string, encoding: BodyEncoding): number {
  return encoding === 'BASE64' ? atob(body).length : new TextEncoder().encode(body).length
}
