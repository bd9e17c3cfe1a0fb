import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { formatBytes } from '../../format.ts'
import { CopyButton } from '../copy-button.tsx'
import { CodeBlock } from './code-block.tsx'
import { folded, foldedAtFirst, JsonTree, unfolded } from './json-tree.tsx'

interface JsonViewProps {
  /** What it is: "Payload". */
  readonly label: string
  /** What the tree shows. */
  readonly value: unknown
  /** What it is to the letter, and what is copied. */
  readonly raw: string
  /** Said of it. */
  readonly note?: string
}

/** JSON, as a tree that folds and as it was written. Bring it in with `lazy`. */
export function JsonView({ label, value, raw, note }: JsonViewProps) {
  const [view, setView] = useState<'Tree' | 'Raw'>('Tree')
  const [folding, setFolding] = useState(() => foldedAtFirst(value))
  const bytes = useMemo(() => new TextEncoder().encode(raw).length, [raw])
  const name = label.toLowerCase()
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={`How to show the ${name}`}
            data={['Tree', 'Raw']}
            value={view}
            onChange={(chosen) => setView(chosen as typeof view)}
          />
          {view === 'Tree' && (
            <>
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => setFolding(unfolded(value))}
              >
                Unfold
              </Button>
              <Button size="compact-xs" variant="subtle" onClick={() => setFolding(folded())}>
                Fold
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
      {view === 'Tree' ? (
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
