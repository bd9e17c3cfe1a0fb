import { Anchor, Button, Text } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { Id } from '../components/copy-button.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { SearchField } from '../components/filters/search-field.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { PageActions } from '../components/page/page-actions.tsx'
import { Time } from '../components/time.tsx'
import { type OrganizationRowFragment, OrganizationsPageDocument } from '../generated/graphql.ts'
import { countOf } from '../lib/count-of.ts'
import { labelFilter } from '../lib/labels.ts'
import { consoleUrl } from '../mount.ts'
import { oldestOf, troubleOf } from '../overview/health-sentence.ts'
import { useSession } from '../session/session.tsx'
import { DeleteOrganization } from './delete-organization.tsx'
import { Deletions } from './deletions.tsx'
import { OrganizationDialog } from './organization-dialog.tsx'

type Organization = OrganizationRowFragment
type Act = 'edit' | 'delete'

const REFRESH_EVERY_MS = 30_000

const FILTERS = ['search', 'label'] as const

/** A deletion is a bulk task. */
const CONTEXT = { additionalTypenames: ['Organization', 'BulkTask'] }

/** For operators: every organization, the worst first, with a link to act for it. */
export default function OrganizationsPage() {
  const cursors = useCursors()
  const [dialog, setDialog] = useState<readonly [Act, Organization | null] | null>(null)
  const [act, organization] = dialog ?? []
  const { values, set, active, clear } = useFilters(FILTERS)
  const filter = { search: values.search, metadata: labelFilter(values.label) }
  const { data, ...read } = useRead(
    OrganizationsPageDocument,
    { ...cursors.variables, filter },
    { context: CONTEXT },
  )
  usePolling(REFRESH_EVERY_MS, read.reload)
  const close = () => setDialog(null)
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setDialog(['edit', null])}>
      Create organization
    </Button>
  )
  return (
    <Page
      title="Organizations"
      description="The organizations with the most webhooks in trouble come first. Open one to act for it."
      actions={create}
    >
      <Deletions />
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
        columns={columns((act, organization) => setDialog([act, organization]))}
        rows={data?.organizations?.nodes}
        keyOf={({ id }) => id}
        {...read}
        pages={{ info: data?.organizations?.pageInfo, cursors }}
        clearFilters={active && clear}
        empty={
          <EmptyState title="No organizations" action={create}>
            Create an organization for each customer with separate webhooks.
          </EmptyState>
        }
      />
      {act === 'edit' && <OrganizationDialog organization={organization ?? null} onClose={close} />}
      {act === 'delete' && organization && (
        <DeleteOrganization organization={organization} onClose={close} />
      )}
    </Page>
  )
}

const columns = (
  choose: (act: Act, organization: Organization) => void,
): readonly Column<Organization>[] => [
  {
    label: 'Name',
    cell: (organization) => <Name organization={organization} />,
  },
  {
    label: 'Webhooks',
    grow: true,
    width: '20%',
    priority: 2,
    cell: ({ deliveryHealth }) => deliveryHealth && webhooksOf(deliveryHealth),
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
    width: 60,
    cell: (organization) => (
      <PageActions
        label={`Actions for ${organization.name}`}
        size={28}
        actions={[
          {
            label: 'Edit',
            icon: IconPencil,
            isRare: true,
            onClick: () => choose('edit', organization),
          },
          {
            label: 'Delete',
            icon: IconTrash,
            isRare: true,
            isDestructive: true,
            onClick: () => choose('delete', organization),
          },
        ]}
      />
    ),
  },
]

/** "14 on hold, 1 failing" */
function webhooksOf({ webhooks }: NonNullable<Organization['deliveryHealth']>): string {
  const trouble = troubleOf(webhooks).map(({ count, word }) => `${countOf(count)} ${word}`)
  if (trouble.length > 0) return trouble.join(', ')
  return webhooks.length === 0 ? 'None' : 'None in trouble'
}

/** Leads to the console of the organization, except from there. */
function Name({ organization: { id, uid, name } }: { organization: Organization }) {
  const { viewer } = useSession()
  return (
    <>
      {viewer.organization.id === id ? (
        <Text span inherit fw={600}>
          {name}{' '}
          <Text span size="xs" c="dimmed">
            Current
          </Text>
        </Text>
      ) : (
        // The router does not cover the console of another organization.
        <Anchor href={consoleUrl(id)} inherit fw={600}>
          {name}
        </Anchor>
      )}
      {uid && (
        <Text size="xs" c="dimmed" className="ph-mono" truncate title={uid}>
          {uid}
        </Text>
      )}
    </>
  )
}
