import { Stack, Text, Title } from '@mantine/core'
import { type Column, List } from '../../components/lists/list.tsx'
import type { Cursors, PageInfo } from '../../components/lists/use-cursors.ts'
import type { DeliveryRowFragment } from '../../generated/graphql.ts'

interface FailedAgainProps {
  /** The anchor of the list in its page. */
  readonly id?: string
  /** The level of the heading. */
  readonly order: 2 | 3
  /** Which deliveries these are. */
  readonly hint: string
  readonly empty: string
  readonly columns: readonly Column<DeliveryRowFragment>[]
  readonly connection:
    | { readonly nodes: readonly DeliveryRowFragment[]; readonly pageInfo: PageInfo }
    | null
    | undefined
  readonly cursors: Cursors
  readonly read: Pick<Parameters<typeof List>[0], 'error' | 'stale' | 'reload'>
}

/** The deliveries that were queued again and have failed since. */
export function FailedAgain(props: FailedAgainProps) {
  const { id, order, hint, empty, columns, connection, cursors, read } = props
  return (
    <Stack component="section" gap="xs" id={id} aria-label="Failed again">
      <Title order={order} size={order === 2 ? 'h5' : 'h6'}>
        Failed again
      </Title>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <List
        label="Failed again"
        columns={columns}
        rows={connection?.nodes}
        keyOf={(delivery) => delivery.id}
        to={(delivery) => `/deliveries/${delivery.id}`}
        {...read}
        pages={{ info: connection?.pageInfo, cursors }}
        empty={
          <Text size="sm" c="dimmed" p="md">
            {empty}
          </Text>
        }
      />
    </Stack>
  )
}
