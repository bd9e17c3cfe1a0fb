import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Popover,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconColumns3, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { t } from '../../language/t.ts'
import { type Preset, Presets } from '../filters/presets.tsx'
import type { useListColumns } from './use-list-columns.ts'
import { useOrder } from './use-order.ts'
import { useViews } from './use-views.ts'

interface ListViewsProps {
  /** Names the list in the storage of the browser. */
  readonly list: string
  /** Frequent questions, before the views of the reader. */
  readonly presets?: readonly Preset[]
  readonly columns: ReturnType<typeof useListColumns>
  /** The orders that the list has, the usual one first. */
  readonly orders: readonly { readonly value: string; readonly label: string }[]
}

/** Above a list: its views, each one link, and a button for its order and columns, and to keep them as a view. */
export function ListViews({ list, presets = [], columns, orders }: ListViewsProps) {
  const { views, save, remove } = useViews(list)
  const own = views.map(({ name, search }) => ({
    label: name,
    params: Object.fromEntries(new URLSearchParams(search)),
  }))
  return (
    <Group justify="space-between" align="start" wrap="nowrap" gap="xs">
      {presets.length + own.length > 0 ? <Presets presets={[...presets, ...own]} /> : <span />}
      <Popover position="bottom-end" withArrow trapFocus returnFocus width={270}>
        <Popover.Target>
          <Button
            size="compact-xs"
            variant="default"
            style={{ flex: 'none' }}
            leftSection={<IconColumns3 size={14} />}
          >
            {t('View')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="sm">
            <OrderSelect orders={orders} />
            <Checkbox.Group
              label={t('Columns')}
              size="xs"
              value={columns.choices.filter(({ isShown }) => isShown).map(({ name }) => name)}
            >
              <Stack gap={6} mt={4}>
                {columns.choices.map(({ name, label }) => (
                  <Checkbox
                    key={name}
                    size="xs"
                    value={name}
                    label={label}
                    onChange={() => columns.toggle(name)}
                  />
                ))}
              </Stack>
            </Checkbox.Group>
            <SaveView save={(name) => save(name, columns.param)} />
            {views.map(({ name }) => (
              <Group key={name} justify="space-between" wrap="nowrap" gap="xs">
                <Text size="xs" truncate>
                  {name}
                </Text>
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  color="gray"
                  aria-label={t('Remove the view {name}', { name })}
                  onClick={() => remove(name)}
                >
                  <IconX size={14} />
                </ActionIcon>
              </Group>
            ))}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  )
}

function OrderSelect({ orders }: Pick<ListViewsProps, 'orders'>) {
  const { order, choose } = useOrder()
  const [usual] = orders
  const known = orders.some(({ value }) => value === order) ? order : (usual?.value ?? null)
  return (
    <Select
      label={t('Order')}
      size="xs"
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
      data={orders.map(({ value, label }) => ({ value, label: t(label) }))}
      value={known}
      onChange={(value) => choose(value === usual?.value ? null : value)}
    />
  )
}

function SaveView({ save }: { save(name: string): void }) {
  const [name, setName] = useState('')
  function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '') return
    save(name.trim())
    setName('')
  }
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="end" wrap="nowrap">
        <TextInput
          label={t('Keep as a view')}
          description={t('In this browser. Its address can be shared.')}
          placeholder={t('Name')}
          size="xs"
          maxLength={40}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button size="xs" variant="default" type="submit" disabled={name.trim() === ''}>
          {t('Save')}
        </Button>
      </Group>
    </form>
  )
}
