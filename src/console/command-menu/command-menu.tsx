import './command-menu.css'
import { Combobox, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { navigateWithGuard } from '../components/forms/leave-guards.ts'
import { useSession } from '../session/session.tsx'
import { type Command, exactMatch, matching, recentCommands, rememberCommand } from './command.ts'
import { useCommands } from './use-commands.ts'
import { useFound } from './use-found.ts'

interface CommandMenuProps {
  readonly opened: boolean
  onClose(): void
}

/** One box that finds ids, webhooks, events by a search key, pages, actions and organizations. */
export function CommandMenu({ opened, onClose }: CommandMenuProps) {
  return (
    <Modal.Root
      opened={opened}
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

const GROUPS = ['recent', 'goTo', 'webhooks', 'pages', 'actions', 'organizations'] as const

function Box({ onClose }: Pick<CommandMenuProps, 'onClose'>) {
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const { can } = useSession()
  const { found, isSearching } = useFound(text)
  const known = useCommands()
  const navigate = useNavigate()
  const store = useCombobox({ opened: true })
  const commands =
    text === ''
      ? [...recentCommands(), ...known]
      : [...exactMatch(text, can('events:read')), ...found, ...matching(known, text)]
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
    rememberCommand(command)
    const { to } = command
    navigateWithGuard(() => (to === undefined ? command.run?.() : navigate(to)))
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
          placeholder="An id, a URL, order.id=87012, a page or an action"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={isSearching && <Loader size={14} aria-label="Loading" />}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          // The combobox keeps Escape from the modal.
          onKeyDownCapture={({ key }) => key === 'Escape' && onClose()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className="ph-command-list" aria-label="Results">
        {GROUPS.map((group) => (
          <Group
            key={group}
            label={GROUP_LABELS[group]}
            commands={commands.filter((command) => command.group === group)}
          />
        ))}
      </Combobox.Options>
      {commands.length === 0 && !isSearching && (
        <Text size="sm" c="dimmed" p="md" role="status">
          Nothing found. Enter an id, a part of a URL or description, or a search key with its
          value: order.id=87012.
        </Text>
      )}
    </Combobox>
  )
}

const GROUP_LABELS = {
  recent: 'Recent',
  goTo: 'Go to',
  webhooks: 'Webhooks',
  pages: 'Pages',
  actions: 'Actions',
  organizations: 'Organizations',
}

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
