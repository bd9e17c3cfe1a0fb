import { Button, Checkbox, Group, Popover, Select, Stack } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'
import { type Preset, Presets } from '../filters/presets.tsx'
import { KeepView, KeptViews } from './kept-views.tsx'
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
  /** More controls of what the list shows. */
  readonly children?: ReactNode
}

/** Above a list: its views, each one link, and a button for its order and columns, and to keep them as a view. */
export function ListViews({ list, presets = [], columns, orders, children }: ListViewsProps) {
  const views = useViews(list)
  const own = views.views.map(({ name, search }) => ({
    label: name,
    params: Object.fromEntries(new URLSearchParams(search)),
  }))
  return (
    <Group justify="space-between" gap="xs">
      {presets.length + own.length > 0 ? <Presets presets={[...presets, ...own]} /> : <span />}
      <Group gap="xs" ml="auto" wrap="nowrap">
        {children}
        <Popover position="bottom-end" withArrow trapFocus returnFocus width={270}>
          <Popover.Target>
            <Button size="compact-xs" variant="default" leftSection={<IconColumns3 size={14} />}>
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
                <Stack gap={8} mt={4}>
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
              <KeepView keep={(name) => views.save(name, columns.param)} />
              <KeptViews {...views} />
            </Stack>
          </Popover.Dropdown>
        </Popover>
      </Group>
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
