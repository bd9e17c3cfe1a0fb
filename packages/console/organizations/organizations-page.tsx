import { Button, Group, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { pageQuery, usePageQuery } from '../api/page-query.ts'
import { usePolling } from '../api/use-polling.ts'
import { Id } from '../components/copy-button.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { SearchField } from '../components/filters/search-field.tsx'
import { readFilters, useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { readCursors, useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState, NoMatches } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
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
const organizationsQuery = pageQuery(
  OrganizationsPageDocument,
  ({ search: address }) => {
    const { search, label } = readFilters(FILTERS, address)
    return { ...readCursors(address), filter: { search, metadata: labelFilter(label) } }
  },
  ['Organization', 'BulkTask'],
)

/** For operators: every organization, the worst first, with a link to act for it. */
export default function OrganizationsPage() {
  const cursors = useCursors()
  const [dialog, setDialog] = useState<readonly [Act, Organization | null] | null>(null)
  const [act, organization] = dialog ?? []
  const { values, set, active, clear } = useFilters(FILTERS)
  const { data, ...read } = usePageQuery(organizationsQuery)
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
    width: 210,
    cell: (organization) => <Acts organization={organization} choose={choose} />,
  },
]

/** "14 on hold, 1 failing" */
function webhooksOf({ webhooks }: NonNullable<Organization['deliveryHealth']>): string {
  const trouble = troubleOf(webhooks).map(({ count, word }) => `${countOf(count)} ${word}`)
  if (trouble.length > 0) return trouble.join(', ')
  return webhooks.length === 0 ? 'None' : 'None in trouble'
}

interface ActsProps {
  readonly organization: Organization
  choose(act: Act, organization: Organization): void
}

function Acts({ organization, choose }: ActsProps) {
  const { id, name } = organization
  const { viewer } = useSession()
  const look = { size: 'compact-sm', variant: 'subtle' } as const
  return (
    <Group gap={4} justify="end" wrap="nowrap">
      <Button {...look} aria-label={`Edit ${name}`} onClick={() => choose('edit', organization)}>
        Edit
      </Button>
      <Button
        {...look}
        c="var(--posthorn-on-red)"
        aria-label={`Delete ${name}`}
        onClick={() => choose('delete', organization)}
      >
        Delete
      </Button>
      {viewer.organization.id === id ? (
        <Text size="xs" c="dimmed">
          Current
        </Text>
      ) : (
        // The router does not cover the console of another organization.
        <Button {...look} component="a" href={consoleUrl(id)} aria-label={`Open ${name}`}>
          Open
        </Button>
      )}
    </Group>
  )
}
