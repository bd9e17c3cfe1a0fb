import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { inSentence } from '../../language/t.ts'
import { formatBytes } from '../../lib/format.ts'
import { CopyButton } from '../copy-button.tsx'
import { CodeBlock } from './code-block.tsx'
import { formatJson } from './format-json.ts'

interface JsonViewProps {
  /** The name of the value, such as "Payload". */
  readonly label: string
  /** The exact text. */
  readonly text: string
  /** A remark below the value. */
  readonly note: string
}

/** JSON that Posthorn keeps or sends to the letter: formatted or as it is. */
export function JsonView({ label, text, note }: JsonViewProps) {
  const [view, setView] = useState('pretty')
  const bytes = useMemo(() => new TextEncoder().encode(text).length, [text])
  const name = inSentence(label)
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={`View of the ${name}`}
          data={[
            { value: 'pretty', label: 'Pretty' },
            { value: 'raw', label: 'Raw' },
          ]}
          value={view}
          onChange={setView}
        />
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {formatBytes(bytes)}
          </Text>
          <CopyButton value={text} label={`Copy the ${name}`} />
        </Group>
      </Group>
      <CodeBlock
        code={view === 'raw' ? text : (formatJson(text) ?? text)}
        label={label}
        maxHeight={520}
      />
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </Stack>
  )
}
