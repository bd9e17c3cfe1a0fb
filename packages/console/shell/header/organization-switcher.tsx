import { Combobox, Group, Text, UnstyledButton, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { useQuery } from 'urql'
import { OrganizationsSearchDocument } from '../../generated/graphql.ts'
import { consoleUrl, mount } from '../../mount.ts'
import { useSession } from '../../session/session.tsx'

/** How long the reader pauses before the text is searched. */
const PAUSE_MS = 200

/** The name of the organization. Operators switch to another one, and stay on the page if it has no id. */
export function OrganizationSwitcher() {
  const { viewer, can } = useSession()
  const { id, name } = viewer.organization
  if (can('admin')) return <Switcher id={id} name={name} />
  return (
    <Text size="sm" fw={500} truncate title={name}>
      {name}
    </Text>
  )
}

/** Whether an operator acts for an organization that is not their own. */
const isOther = mount.organizationId !== null

function Switcher({ id, name }: { id: string; name: string }) {
  const [text, setText] = useState('')
  const { pathname } = useLocation()
  const store = useCombobox({
    onDropdownClose: () => setText(''),
    onDropdownOpen: () => store.focusSearchInput(),
  })
  const [search] = useDebouncedValue(text.trim(), PAUSE_MS)
  const [{ data, fetching }] = useQuery({
    query: OrganizationsSearchDocument,
    variables: { search: search || null },
    pause: !store.dropdownOpened,
  })
  const organizations = data?.organizations?.nodes ?? []

  function open(chosen: string) {
    store.closeDropdown()
    if (chosen === id) return
    const [, section = ''] = pathname.split('/')
    location.assign(consoleUrl(chosen, `/${section}`))
  }

  return (
    <Combobox store={store} width={280} position="bottom-start" onOptionSubmit={open}>
      <Combobox.Target targetType="button">
        <UnstyledButton
          className="ph-organization"
          data-other={isOther || undefined}
          aria-label={`Switch organization, now ${isOther ? `acting for ${name}` : name}`}
          title={isOther ? `You act for ${name}, which is not your own organization.` : undefined}
          onClick={() => store.toggleDropdown()}
        >
          <span>{name}</span>
          <IconSelector size={14} aria-hidden />
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label="Search organizations"
          placeholder="Search organizations"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Combobox.Options mah={300} style={{ overflowY: 'auto' }}>
          {organizations.map((organization) => (
            <Combobox.Option
              key={organization.id}
              value={organization.id}
              active={organization.id === id}
            >
              <Group gap="xs" justify="space-between" wrap="nowrap">
                {organization.name}
                {organization.id === id && <IconCheck size={14} aria-label="Current" />}
              </Group>
            </Combobox.Option>
          ))}
          {organizations.length === 0 && data && !fetching && (
            <Combobox.Empty>No organization has this name.</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
