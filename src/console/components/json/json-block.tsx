import { Box } from '@mantine/core'
import { CopyButton } from '../copy-button.tsx'
import { CodeBlock } from './code-block.tsx'

interface JsonBlockProps {
  readonly value: unknown
  /** What it is: "the schema". */
  readonly label: string
}

/** A small JSON value, formatted to be read and copied. */
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
