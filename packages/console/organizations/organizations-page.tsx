import { Button, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { usePageQuery } from '../api/page-query.ts'
import { usePolling } from '../api/use-polling.ts'
import { Id } from '../components/copy-button.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { SearchField } from '../components/filters/search-field.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import type { OrganizationRowFragment } from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { formatPercent } from '../lib/format.ts'
import { oldestOf, troubleOf } from '../overview/health-sentence.ts'
import { DeleteOrganization } from './delete-organization.tsx'
import { Deletions } from './deletions.tsx'
import { EditOrganization } from './edit-organization.tsx'
import { NewOrganization } from './new-organization.tsx'
import { OpenOrganization } from './open-organization.tsx'
import { ORGANIZATION_FILTERS, organizationsQuery } from './organizations-query.ts'
import { PortalLinkButton } from './portal-link-button.tsx'

type Organization = OrganizationRowFragment

const REFRESH_EVERY_MS = 30_000

const columns = (
  editing: (id: string) => string,
  deleting: (id: string) => string,
): readonly Column<Organization>[] => [
  {
    label: 'Name',
    cell: ({ name, uid }) => (
      <>
        <strong style={{ fontWeight: 600 }}>{name}</strong>
        {uid && (
          <Text size="xs" c="dimmed" className="ph-mono" truncate title={uid}>
            {uid}
          </Text>
        )}
      </>
    ),
  },
  {
    label: 'Webhooks',
    grow: true,
    width: '20%',
    priority: 2,
    cell: ({ deliveryHealth }) => deliveryHealth && webhooksOf(deliveryHealth),
  },
  {
    label: 'Within a minute',
    end: true,
    priority: 3,
    cell: ({ deliveryHealth }) =>
      deliveryHealth?.onTimeRate == null ? '–' : formatPercent(deliveryHealth.onTimeRate),
  },
  {
    label: 'Not delivered',
    end: true,
    priority: 3,
    cell: ({ deliveryHealth }) =>
      countOf((deliveryHealth?.waiting ?? []).reduce((sum, { count }) => sum + count, 0)),
  },
  {
    label: 'Oldest',
    end: true,
    priority: 3,
    cell: ({ deliveryHealth }) => {
      const oldest = oldestOf(deliveryHealth?.waiting ?? [])
      return oldest ? <Time at={oldest} as="elapsed" /> : '–'
    },
  },
  { label: 'Id', cell: ({ id }) => <Id id={id} />, width: 275, priority: 4 },
  {
    label: '',
    end: true,
    cell: ({ id, name }) => (
      <Group gap="xs" justify="end" wrap="nowrap">
        <Button
          component={Link}
          to={editing(id)}
          size="xs"
          px={8}
          variant="subtle"
          aria-label={`Edit ${name}`}
        >
          Edit
        </Button>
        <Button
          component={Link}
          to={deleting(id)}
          size="xs"
          px={8}
          variant="subtle"
          c="var(--posthorn-on-red)"
          aria-label={`Delete ${name}`}
        >
          Delete
        </Button>
        <PortalLinkButton organization={{ id, name }} />
        <OpenOrganization id={id} name={name} />
      </Group>
    ),
    width: 320,
  },
]

/** "14 on hold, 1 failing" */
function webhooksOf({ webhooks }: NonNullable<Organization['deliveryHealth']>): string {
  const trouble = troubleOf(webhooks).map(({ count, word }) => `${countOf(count)} ${word}`)
  if (trouble.length > 0) return trouble.join(', ')
  return webhooks.length === 0 ? 'None' : 'None in trouble'
}

/** For operators: every organization, the worst first, with a link to act for it. */
export default function OrganizationsPage() {
  const cursors = useCursors()
  const creating = usePanel('new')
  const editing = usePanel('edit')
  const deleting = usePanel('delete')
  const [deletedCount, setDeletedCount] = useState(0)
  const { values, set, active, clear } = useFilters(ORGANIZATION_FILTERS)
  const { data, ...read } = usePageQuery(organizationsQuery)
  usePolling(REFRESH_EVERY_MS, read.reload)
  const create = (
    <Button component={Link} to={creating.to('organization')} leftSection={<IconPlus size={16} />}>
      Create organization
    </Button>
  )
  return (
    <Page
      title="Organizations"
      description="The organizations with the most webhooks in trouble come first. Open one to act for it."
      actions={create}
    >
      <Deletions since={deletedCount} />
      <FilterBar active={active} clear={clear}>
        <SearchField
          label="Search"
          placeholder="Name or uid"
          value={values.search ?? ''}
          onChange={(search) => set({ search })}
        />
        <SearchField
          label="Label"
          placeholder="plan=pro"
          value={values.label ?? ''}
          onChange={(label) => set({ label })}
        />
      </FilterBar>
      <List
        label="Organizations, the worst first"
        columns={columns(editing.to, deleting.to)}
        rows={data?.organizations?.nodes}
        keyOf={({ id }) => id}
        {...read}
        pages={{ info: data?.organizations?.pageInfo, cursors }}
        empty={
          active ? (
            <NoMatches clear={clear} />
          ) : (
            <EmptyState title="No organizations" action={create}>
              Create an organization for each customer with separate webhooks.
            </EmptyState>
          )
        }
      />
      <NewOrganization opened={creating.id !== null} onClose={creating.close} />
      <EditOrganization id={editing.id} onClose={editing.close} />
      <DeleteOrganization
        id={deleting.id}
        onClose={deleting.close}
        onDeleted={() => {
          setDeletedCount((count) => count + 1)
          read.reload()
        }}
      />
    </Page>
  )
}
