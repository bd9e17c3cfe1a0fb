import { Box } from '@mantine/core'
import { CopyButton } from '../copy-button.tsx'
import { CodeBlock } from './code-block.tsx'

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
