import { Button, Stack, Text } from '@mantine/core'
import { useEffect, useMemo, useRef } from 'react'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { type ExportState, MAX_ROWS } from './export-rows.ts'

interface ExportEndProps {
  /** What was exported. */
  readonly name: string
  readonly state: ExportState
}

const TYPES = { csv: 'text/csv;charset=utf-8', jsonl: 'application/x-ndjson' }

/** Says how an export ended, and offers its file. A file that is not complete says so in its name. */
export function ExportEnd({ name, state }: ExportEndProps) {
  const { format, parts, count } = state
  const isWhole = state.state === 'done'
  const url = useMemo(
    () => URL.createObjectURL(new Blob([...parts], { type: TYPES[format] })),
    [parts, format],
  )
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  // A whole file is saved at once. The button saves it again, where the browser did not.
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isWhole) link.current?.click()
  }, [isWhole])
  const day = new Date().toISOString().slice(0, 10)
  return (
    <Stack gap="xs" align="start">
      <Text
        size="sm"
        role={isWhole ? 'status' : 'alert'}
        c={isWhole ? undefined : 'var(--posthorn-on-orange)'}
      >
        {ending(state)}
      </Text>
      {count > 0 && (
        <Button
          component="a"
          ref={link}
          variant={isWhole ? 'filled' : 'default'}
          href={url}
          download={`${name}-${day}${isWhole ? '' : '-incomplete'}.${format}`}
        >
          {isWhole
            ? t('Save the file')
            : t('Save {count, plural, one {# row} other {# rows}}', { count })}
        </Button>
      )}
    </Stack>
  )
}

function ending({ state, count, reason = '' }: ExportState): string {
  if (state === 'limit')
    return t(
      'The export stopped at its limit of {max} rows; more rows match. Narrow the filters, such as the time, to export the other rows.',
      { max: formatCount(MAX_ROWS) },
    )
  if (state === 'stopped')
    return t(
      'Stopped after {count, plural, one {# row} other {# rows}}. A file saved now is incomplete.',
      { count },
    )
  if (state === 'broken')
    return t(
      'The export failed after {count, plural, one {# row} other {# rows}}: {reason} A file saved now is incomplete.',
      { count, reason },
    )
  return t('Exported {count, plural, one {# row} other {# rows}}.', { count })
}
