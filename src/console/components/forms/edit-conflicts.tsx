import { Alert, Button, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import type { EditConflict } from '../../api/use-action.ts'
import { t } from '../../language/t.ts'
import { Time } from '../time.tsx'

interface EditConflictsProps {
  readonly conflict: EditConflict
  /** The labels of the fields by their names. */
  readonly labels: Readonly<Record<string, string>>
  /** The values in the form, by the names of the fields. */
  readonly mine: Readonly<Record<string, unknown>>
  /** What an empty field means, by the names of the fields. Default: none. */
  readonly empty?: Readonly<Record<string, string>>
  keepMine(name: string): void
  takeTheirs(name: string, value: unknown): void
}

/** Both values of each field that somebody else changed while the reader edited it. */
export function EditConflicts(props: EditConflictsProps) {
  const { conflict, labels, mine, empty = {}, ...actions } = props
  const alert = useRef<HTMLDivElement>(null)

  /** The chosen buttons vanish, so the focus goes to the next choice, or to Save. */
  function choose(act: () => void) {
    const form = alert.current?.closest('form')
    act()
    requestAnimationFrame(() => {
      const next = alert.current?.querySelector<HTMLElement>('button')
      const save = form?.querySelector<HTMLElement>('[type="submit"]')
      ;(next ?? save)?.focus()
    })
  }

  return (
    <Alert
      ref={alert}
      color="yellow"
      variant="light"
      role="alert"
      title="Somebody else changed the same fields"
    >
      <Stack gap="lg">
        <Text size="sm">Nothing was saved yet. Choose a value for each field, then save.</Text>
        {conflict.fields.map((field) => {
          const label = labels[field.name] ?? field.name
          const shown = (value: unknown) => value ?? empty[field.name]
          return (
            <Stack key={field.name} gap={6} component="section" aria-label={label}>
              <Text size="sm" fw={600}>
                {label}
              </Text>
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
                <Version
                  title="Yours"
                  value={shown(mine[field.name])}
                  action="Keep mine"
                  onChoose={() => choose(() => actions.keepMine(field.name))}
                />
                <Version
                  title={<ChangedBy field={field} />}
                  value={shown(field.current)}
                  action="Take theirs"
                  onChoose={() => choose(() => actions.takeTheirs(field.name, field.current))}
                />
              </SimpleGrid>
            </Stack>
          )
        })}
      </Stack>
    </Alert>
  )
}

type Field = EditConflict['fields'][number]

function ChangedBy({ field: { changedBy, changedAt } }: { field: Field }) {
  return (
    <>
      {changedBy ? `Changed by ${changedBy}` : 'Changed'}
      {changedAt && (
        <>
          {' · '}
          <Time at={changedAt} />
        </>
      )}
    </>
  )
}

interface VersionProps {
  readonly title: ReactNode
  readonly value: unknown
  readonly action: string
  onChoose(): void
}

function Version({ title, value, action, onChoose }: VersionProps) {
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs" h="100%" justify="space-between" align="start">
        <Stack gap={4} w="100%">
          <Text size="xs" c="dimmed" component="div">
            {title}
          </Text>
          <Text
            size="sm"
            className="ph-mono"
            mah={240}
            tabIndex={0}
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'auto' }}
          >
            {textOf(value)}
          </Text>
        </Stack>
        <Button size="xs" variant="default" onClick={onChoose}>
          {action}
        </Button>
      </Stack>
    </Paper>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return t('None')
  if (typeof value === 'boolean') {
    return value ? 'On' : 'Off'
  }
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value) && value.every((entry) => typeof entry !== 'object')
  if (!isList) return JSON.stringify(value, null, 2)
  return value.length === 0 ? t('None') : value.join('\n')
}
