import { Button, Group, Modal, Progress, Radio, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { t } from '../strings/t.ts'
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

  const isReading = state?.state === 'reading'
  return (
    <Modal
      opened={opened}
      onClose={close}
      centered
      title={
        <Text fw={650}>{t('exports:title', { name: t(`exports:names.${source.name}`) })}</Text>
      }
    >
      <Stack>
        <Text size="sm">
          {count === null ? t('exports:all', { max: MAX_ROWS }) : t('exports:selected', { count })}
        </Text>
        {state === null && (
          <Radio.Group
            label={t('exports:format')}
            value={format}
            onChange={(value) => setFormat(value as ExportFormat)}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="csv" label={t('exports:csv')} />
              <Radio value="jsonl" label={t('exports:jsonl')} />
            </Stack>
          </Radio.Group>
        )}
        {isReading && (
          <>
            <Progress
              value={count === null ? 100 : (100 * state.count) / Math.max(1, count)}
              animated
              aria-label={t('exports:title', { name: t(`exports:names.${source.name}`) })}
            />
            <Text size="sm" role="status">
              {t('exports:read', { count: state.count })}
            </Text>
          </>
        )}
        {state && !isReading && <ExportEnd name={source.name} state={state} />}
        <Group justify="end" gap="xs">
          {state === null && (
            <Button data-autofocus onClick={() => read(newExport(format, source))}>
              {t('exports:start')}
            </Button>
          )}
          {isReading && (
            <Button variant="default" onClick={() => running.current?.abort()}>
              {t('exports:stop')}
            </Button>
          )}
          {(state?.state === 'stopped' || state?.state === 'broken') && (
            <Button onClick={() => read(state)}>{t('exports:continue')}</Button>
          )}
          {(state?.state === 'done' || state?.state === 'limit') && (
            <Button variant="default" onClick={close}>
              {t('common:close')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
