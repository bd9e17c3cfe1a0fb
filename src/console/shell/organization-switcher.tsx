import { Combobox, Text, UnstyledButton, useCombobox } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { useQuery } from 'urql'
import { navigateWithGuard } from '../components/forms/navigation-guard.ts'
import { CommandMenuOrganizationsDocument } from '../generated/graphql.ts'
import { consoleUrl } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'

/** The name of the organization. Operators switch to another one, and stay on the page if it has no id. */
export function OrganizationSwitcher() {
  const { viewer, can } = useSession()
  const { name } = viewer.organization
  if (can('admin')) return <Switcher name={name} />
  return (
    <Text size="sm" fw={500} truncate title={name}>
      {name}
    </Text>
  )
}

function Switcher({ name }: { name: string }) {
  const [text, setText] = useState('')
  const { pathname } = useLocation()
  const store = useCombobox({
    onDropdownClose: () => setText(''),
    onDropdownOpen: () => store.focusSearchInput(),
  })
  const [{ data }] = useQuery({
    query: CommandMenuOrganizationsDocument,
    pause: !store.dropdownOpened,
  })
  const found = (data?.organizations?.nodes ?? []).filter((organization) =>
    organization.name.toLowerCase().includes(text.trim().toLowerCase()),
  )

  function open(id: string) {
    store.closeDropdown()
    const [, section = ''] = pathname.split('/')
    navigateWithGuard(() => location.assign(consoleUrl(id, `/${section}`)))
  }

  return (
    <Combobox store={store} width={280} position="bottom-start" onOptionSubmit={open}>
      <Combobox.Target targetType="button">
        <UnstyledButton
          className="ph-organization"
          aria-label={t('shell:organization.switch', { name })}
          onClick={() => store.toggleDropdown()}
        >
          <span>{name}</span>
          <IconSelector size={14} aria-hidden />
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label={t('shell:organization.search')}
          placeholder={t('shell:organization.search')}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Combobox.Options mah={300} style={{ overflowY: 'auto' }}>
          {found.map((organization) => (
            <Combobox.Option key={organization.id} value={organization.id}>
              {organization.name}
            </Combobox.Option>
          ))}
          {data && found.length === 0 && (
            <Combobox.Empty>{t('shell:organization.none')}</Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
