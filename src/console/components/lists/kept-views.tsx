import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { t } from '../../language/t.ts'
import type { useViews } from './use-views.ts'

/** Keeps what the list shows now under a name. */
export function KeepView({ keep }: { keep(name: string): void }) {
  const [name, setName] = useState('')
  function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '') return
    keep(name.trim())
    setName('')
  }
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          flex={1}
          label={t('Keep as a view')}
          description={t('In this browser. Its address can be shared.')}
          placeholder={t('Name')}
          size="xs"
          maxLength={MAX_NAME}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button size="xs" variant="default" type="submit" flex="none" disabled={name.trim() === ''}>
          {t('Save')}
        </Button>
      </Group>
    </form>
  )
}

const MAX_NAME = 40

type KeptViewsProps = Pick<ReturnType<typeof useViews>, 'views' | 'rename' | 'remove'>

/** Renames and removes the views of the reader. */
export function KeptViews({ views, rename, remove }: KeptViewsProps) {
  if (views.length === 0) return null
  return (
    <Stack gap={4} component="section" aria-label={t('Your views')}>
      {views.map(({ name }) => (
        <KeptView
          key={name}
          name={name}
          rename={(next) => rename(name, next)}
          remove={() => remove(name)}
        />
      ))}
    </Stack>
  )
}

interface KeptViewProps {
  readonly name: string
  rename(next: string): void
  remove(): void
}

function KeptView({ name, rename, remove }: KeptViewProps) {
  const [typed, setTyped] = useState<string | null>(null)
  function submit(event: FormEvent) {
    event.preventDefault()
    const next = typed?.trim()
    if (next && next !== name) rename(next)
    setTyped(null)
  }
  if (typed !== null) {
    return (
      <form onSubmit={submit}>
        <Group gap="xs" wrap="nowrap">
          <TextInput
            flex={1}
            size="xs"
            aria-label={t('New name of the view {name}', { name })}
            maxLength={MAX_NAME}
            ref={(input) => input?.focus()}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <ActionIcon size="sm" variant="subtle" type="submit" aria-label={t('Save the name')}>
            <IconCheck size={14} />
          </ActionIcon>
        </Group>
      </form>
    )
  }
  return (
    <Group justify="space-between" wrap="nowrap" gap={4} mih={30}>
      <Text size="xs" truncate flex={1}>
        {name}
      </Text>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t('Rename the view {name}', { name })}
        onClick={() => setTyped(name)}
      >
        <IconPencil size={14} />
      </ActionIcon>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t('Remove the view {name}', { name })}
        onClick={remove}
      >
        <IconX size={14} />
      </ActionIcon>
    </Group>
  )
}
