import { Box, Code } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../copy-button.tsx'

interface CodeBlockProps {
  readonly code: ReactNode
  /** The accessible name: the block can be focused, to scroll it with the keyboard. */
  readonly label: string
  readonly maxHeight?: number
}

/** Verbatim text with its own scroll bar. */
export function CodeBlock({ code, label, maxHeight = 360 }: CodeBlockProps) {
  return (
    <Code
      block
      role="region"
      aria-label={label}
      tabIndex={0}
      p="sm"
      color="var(--posthorn-sunken)"
      bd="1px solid var(--posthorn-line)"
      mah={maxHeight}
      style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
    >
      {code}
    </Code>
  )
}

interface CopyableCodeProps extends CodeBlockProps {
  /** The accessible name of the button. */
  readonly copy: string
  /** What the button copies. */
  readonly copied: string
}

/** Verbatim text with a button that copies it. */
export function CopyableCode({ copy, copied, ...block }: CopyableCodeProps) {
  return (
    <Box pos="relative">
      <CodeBlock {...block} />
      <Box pos="absolute" top={6} right={6} bg="var(--posthorn-sunken)" bdrs="sm">
        <CopyButton value={copied} label={copy} />
      </Box>
    </Box>
  )
}
