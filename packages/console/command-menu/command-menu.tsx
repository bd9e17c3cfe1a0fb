import { t } from '../language/t.ts'
import './command-menu.css'
import { Combobox, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { useSession } from '../session/session.tsx'
import { type Command, exactMatch, matching } from './command.ts'
import { useCommands } from './use-commands.ts'
import { useFound } from './use-found.ts'

/** One box that finds ids, values of search keys, webhooks, event types, pages, actions and organizations. */
export function CommandMenu({ onClose }: { onClose(): void }) {
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size={560}
      padding={0}
      yOffset="12vh"
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Search and commands">
        <Modal.Body>
          <Box onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function Box({ onClose }: { onClose(): void }) {
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const session = useSession()
  const { found, isSearching, failure } = useFound(text)
  const known = useCommands()
  const navigate = useNavigate()
  const store = useCombobox({ opened: true })
  const commands =
    text === '' ? known : [...exactMatch(text, session), ...found, ...matching(known, text)]
  const isEmpty = commands.length === 0 && !isSearching
  const status = failure ?? (isEmpty ? NOTHING_FOUND : null)
  const { resetSelectedOption, selectFirstOption } = store
  const shown = commands.map(({ group, id }) => group + id).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the results
  useEffect(() => {
    resetSelectedOption()
    if (shown !== '') selectFirstOption()
  }, [shown])

  function submit(value: string) {
    const command = commands.find(({ group, id }) => group + id === value)
    if (!command) return
    onClose()
    const { to } = command
    if (to === undefined) command.run?.()
    else navigate(to)
  }

  return (
    <Combobox store={store} onOptionSubmit={submit}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          className="ph-command-input"
          variant="unstyled"
          size="md"
          data-autofocus
          role="combobox"
          aria-label="Search and commands"
          placeholder="An id, a value such as 87012, a host, a page or an action"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={isSearching && <Loader size={14} aria-label={t('Loading')} />}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          // The combobox keeps Escape from the modal.
          onKeyDownCapture={({ key }) => key === 'Escape' && onClose()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className="ph-command-list" aria-label="Results">
        {GROUPS.map(([group, label]) => (
          <Group
            key={group}
            label={label}
            commands={commands.filter((command) => command.group === group)}
          />
        ))}
      </Combobox.Options>
      {status !== null && (
        <Text size="sm" c="dimmed" p="md" role="status">
          {status}
        </Text>
      )}
    </Combobox>
  )
}

const NOTHING_FOUND =
  'Nothing found. Enter an id, the value of a search key, or a part of a URL or description.'

/** In the order of the menu. */
const GROUPS = [
  ['goTo', 'Go to'],
  ['events', t('Events')],
  ['webhooks', 'Webhooks'],
  ['eventTypes', t('Event types')],
  ['pages', t('Pages')],
  ['actions', t('Actions')],
  ['organizations', 'Organizations'],
] as const

function Group({ label, commands }: { label: string; commands: readonly Command[] }) {
  if (commands.length === 0) return null
  return (
    <Combobox.Group label={label}>
      {commands.map(({ id, group, label, hint }) => (
        <Combobox.Option key={id} value={group + id} className="ph-command">
          <span className="ph-command-label">{label}</span>
          {hint && <span className="ph-command-hint">{hint}</span>}
        </Combobox.Option>
      ))}
    </Combobox.Group>
  )
}
