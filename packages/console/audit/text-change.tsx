import { Box } from '@mantine/core'
import { differenceOfLines } from '../lib/line-difference.ts'

interface TextChangeProps {
  /** The name of the field. */
  readonly label: string
  readonly before: string
  readonly after: string
}

const MARKS = { same: ' ', removed: '−', added: '+' }
const COLORS = { same: undefined, removed: 'red', added: 'green' }

/** A text of several lines before and after a change. */
export function TextChange({ label, before, after }: TextChangeProps) {
  return (
    <Box
      component="pre"
      role="region"
      aria-label={`Difference of ${label}`}
      tabIndex={0}
      className="ph-mono"
      m={0}
      fz="xs"
      mah={360}
      bdrs="sm"
      bd="1px solid var(--posthorn-line)"
      style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}
    >
      {differenceOfLines(before, after).map(({ kind, text }, index) => {
        const color = COLORS[kind]
        return (
          <Box
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text never move
            key={index}
            component="span"
            display="block"
            px="sm"
            bg={color && `var(--mantine-color-${color}-light)`}
            c={color && `var(--posthorn-on-${color})`}
          >
            {`${MARKS[kind]} ${text}`}
          </Box>
        )
      })}
    </Box>
  )
}
