import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { inSentence } from '../../language/t.ts'
import { formatBytes } from '../../lib/format.ts'
import { CopyButton } from '../copy-button.tsx'
import { CodeBlock } from './code-block.tsx'
import { foldAll, initialFolding, JsonTree, unfoldAll } from './json-tree.tsx'

interface JsonViewProps {
  /** The name of the value, such as "Payload". */
  readonly label: string
  /** The value that the tree shows. */
  readonly value: unknown
  /** The exact text, for the raw view and the copy button. */
  readonly raw: string
  /** A remark below the value. */
  readonly note?: string
}

/** JSON as a foldable tree or as raw text. Import it with `lazy`. */
export function JsonView({ label, value, raw, note }: JsonViewProps) {
  const [view, setView] = useState<'tree' | 'raw'>('tree')
  const [folding, setFolding] = useState(() => initialFolding(value))
  const bytes = useMemo(() => new TextEncoder().encode(raw).length, [raw])
  const name = inSentence(label)
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={`View of the ${name}`}
            data={[
              { value: 'tree', label: 'Tree' },
              { value: 'raw', label: 'Raw' },
            ]}
            value={view}
            onChange={(chosen) => setView(chosen as typeof view)}
          />
          {view === 'tree' && (
            <>
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => setFolding(unfoldAll(value))}
              >
                Unfold all
              </Button>
              <Button size="compact-xs" variant="subtle" onClick={() => setFolding(foldAll())}>
                Fold all
              </Button>
            </>
          )}
        </Group>
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {formatBytes(bytes)}
          </Text>
          <CopyButton value={raw} label={`Copy the ${name}`} />
        </Group>
      </Group>
      {view === 'tree' ? (
        <JsonTree label={label} value={value} folding={folding} setFolding={setFolding} />
      ) : (
        <CodeBlock code={raw} label={label} maxHeight={520} />
      )}
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  )
}
