import { Box, Text } from '@mantine/core'
import { structuredPatch } from 'diff'
import { useMemo } from 'react'
import { CodeBlock } from './json/code-block.tsx'

interface DifferenceProps {
  readonly before: string
  readonly after: string
  /** The accessible name, such as "What has changed". */
  readonly label: string
}

/** More changed lines are slow to compare and to draw. */
const MAX_CHANGES = 2_000

const COLORS: Readonly<Record<string, string>> = { '+': 'green', '-': 'red' }

/** The lines that were removed from a text (−) and added to it (+), with a few lines around them. */
export function Difference({ before, after, label }: DifferenceProps) {
  const patch = useMemo(() => {
    const options = { context: 3, maxEditLength: MAX_CHANGES }
    return structuredPatch('', '', linesOf(before), linesOf(after), '', '', options)
  }, [before, after])
  if (!patch) return <Text size="sm">Too many lines differ.</Text>
  if (patch.hunks.length === 0) return <Text size="sm">Nothing differs.</Text>
  const lines = patch.hunks.flatMap((hunk, index) => [...(index > 0 ? [' …'] : []), ...hunk.lines])
  return <CodeBlock code={lines.map(lineElement)} label={label} />
}

const linesOf = (text: string) => text && `${text}\n`

function lineElement(line: string, index: number) {
  const mark = line.charAt(0)
  const color = COLORS[mark]
  return (
    <Box
      key={index}
      component="span"
      display="block"
      bg={color && `var(--mantine-color-${color}-light)`}
      c={color && `var(--posthorn-on-${color})`}
    >
      {`${mark.replace('-', '−')} ${line.slice(1)}`}
    </Box>
  )
}
