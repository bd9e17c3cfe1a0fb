import { Box } from '@mantine/core'

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
