import { Button, Stack, Text } from '@mantine/core'
import { useEffect, useMemo } from 'react'
import { t } from '../strings/t.ts'
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
          variant={isWhole ? 'filled' : 'default'}
          href={url}
          download={`${name}-${day}${isWhole ? '' : '-incomplete'}.${format}`}
        >
          {isWhole ? t('exports:save') : t('exports:savePart', { count })}
        </Button>
      )}
    </Stack>
  )
}

function ending({ state, count, reason = '' }: ExportState): string {
  if (state === 'limit') return t('exports:limit', { max: MAX_ROWS })
  if (state === 'stopped') return t('exports:stopped', { count })
  if (state === 'broken') return t('exports:broken', { count, reason })
  return t('exports:done', { count })
}
