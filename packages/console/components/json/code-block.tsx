import { Box } from '@mantine/core'
import { CopyButton } from '../copy-button.tsx'

interface CodeBlockProps {
  readonly code: string
  /** The accessible name: the block can be focused, to scroll it with the keyboard. */
  readonly label: string
  readonly maxHeight?: number
}

/** Verbatim text with its own scroll bar. */
export function CodeBlock({ code, label, maxHeight = 360 }: CodeBlockProps) {
  return (
    <Box
      component="pre"
      className="ph-mono"
      role="region"
      aria-label={label}
      tabIndex={0}
      m={0}
      p="sm"
      fz="xs"
      bg="var(--posthorn-sunken)"
      bdrs="sm"
      bd="1px solid var(--posthorn-line)"
      mah={maxHeight}
      style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}
    >
      {code}
    </Box>
  )
}

interface JsonBlockProps {
  readonly value: unknown
  /** The name of the value, such as "the schema". */
  readonly label: string
}

/** A small JSON value, formatted, with a copy button. */
export function JsonBlock({ value, label }: JsonBlockProps) {
  const text = JSON.stringify(value, null, 2)
  return (
    <Box pos="relative">
      <CodeBlock code={text} label={label} maxHeight={440} />
      <Box pos="absolute" top={6} right={6} bg="var(--posthorn-sunken)" bdrs="sm">
        <CopyButton value={text} label={`Copy ${label}`} />
      </Box>
    </Box>
  )
}
