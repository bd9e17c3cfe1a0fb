import { Button, Group, Modal, Progress, Radio, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { ExportEnd } from './export-end.tsx'
import {
  type ExportFormat,
  type ExportSource,
  type ExportState,
  exportRows,
  MAX_ROWS,
  newExport,
} from './export-rows.ts'

interface ExportDialogProps<Row> {
  readonly opened: boolean
  onClose(): void
  readonly source: ExportSource<Row>
  /** The number of selected rows. Null: everything that matches. */
  readonly count: number | null
}

/** Reads all rows of a list, page by page, into a file. Closing stops the export. */
export function ExportDialog<Row>({ opened, onClose, source, count }: ExportDialogProps<Row>) {
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [state, setState] = useState<ExportState | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  function read(begun: ExportState) {
    const controller = new AbortController()
    running.current = controller
    void exportRows(source, begun, controller.signal, (next) => {
      if (running.current === controller) setState(next)
    })
  }

  function close() {
    running.current?.abort()
    running.current = null
    setState(null)
    onClose()
  }

  const title = TITLES[source.name] ?? `Export ${source.name}`
  const isReading = state?.state === 'reading'
  return (
    <Modal opened={opened} onClose={close} centered title={<Text fw={650}>{title}</Text>}>
      <Stack>
        <Text size="sm">
          {count === null
            ? t('Exports everything that matches the filters, at most {max} rows.', {
                max: formatCount(MAX_ROWS),
              })
            : t('Exports {count, plural, one {# selected row} other {# selected rows}}.', {
                count,
              })}
        </Text>
        {state === null && (
          <Radio.Group
            label={t('Format')}
            value={format}
            onChange={(value) => setFormat(value as ExportFormat)}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="csv" label={t('CSV, for spreadsheets')} />
              <Radio value="jsonl" label={t('JSON lines, one object per row')} />
            </Stack>
          </Radio.Group>
        )}
        {isReading && (
          <>
            <Progress
              value={count === null ? 100 : (100 * state.count) / Math.max(1, count)}
              animated
              aria-label={title}
            />
            <Text size="sm" role="status">
              {t('{count, plural, one {# row} other {# rows}} read', { count: state.count })}
            </Text>
          </>
        )}
        {state && !isReading && <ExportEnd name={source.name} state={state} />}
        <Group justify="end" gap="xs">
          {state === null && (
            <Button data-autofocus onClick={() => read(newExport(format, source))}>
              {t('Export')}
            </Button>
          )}
          {isReading && (
            <Button variant="default" onClick={() => running.current?.abort()}>
              {t('Stop')}
            </Button>
          )}
          {(state?.state === 'stopped' || state?.state === 'broken') && (
            <Button onClick={() => read(state)}>{t('Continue')}</Button>
          )}
          {(state?.state === 'done' || state?.state === 'limit') && (
            <Button variant="default" onClick={close}>
              {t('Close')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

const TITLES: Readonly<Record<string, string>> = {
  attempts: t('Export attempts'),
  deliveries: t('Export deliveries'),
}
