import { useMemo } from 'react'
import { useRead } from '../api/use-read.ts'
import { useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { type Column, List } from '../components/lists/list.tsx'
import { NoMatches } from '../components/lists/no-matches.tsx'
import { useCursors } from '../components/lists/use-cursors.ts'
import { EmptyState } from '../components/page/empty-state.tsx'
import { NeedsScope } from '../components/page/needs-scope.tsx'
import { Page } from '../components/page/page.tsx'
import { Time } from '../components/time.tsx'
import { usePanel } from '../components/use-panel.ts'
import {
  AuditLogKeysDocument,
  AuditLogPageDocument,
  type AuditLogPageQuery,
} from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { actionLabel } from './action-labels.ts'
import { Actor, type KeyNames, sourceLabel } from './actor.tsx'
import { AUDIT_FILTERS, AuditFilters } from './audit-filters.tsx'
import { EntryPanel } from './entry-panel.tsx'
import { Subject } from './subject.tsx'

type Entry = NonNullable<AuditLogPageQuery['auditLog']>['nodes'][number]

const columns = (names: KeyNames): readonly Column<Entry>[] => [
  {
    label: t('audit:auditLogPage.action'),
    cell: ({ action }) => actionLabel(action),
    width: '18%',
  },
  {
    label: t('audit:auditLogPage.target'),
    cell: ({ action, subjectId: id }) => <Subject action={action} id={id} />,
    grow: true,
  },
  {
    label: t('audit:auditLogPage.actor'),
    cell: (entry) => <Actor {...entry} names={names} />,
    grow: true,
  },
  {
    label: t('audit:auditLogPage.source'),
    cell: ({ source, address }) => (address ? `${address}, ${sourceLabel(source)}` : '–'),
    width: '18%',
    priority: 3,
  },
  {
    label: t('audit:auditLogPage.time'),
    cell: ({ createdAt }) => <Time at={createdAt} as="relative" />,
    width: 120,
  },
]

export default function AuditLogPage() {
  return (
    <NeedsScope scope="keys:manage" title={t('audit:auditLogPage.title')}>
      <AuditLog />
    </NeedsScope>
  )
}

function AuditLog() {
  const { values, set, active, clear } = useFilters(AUDIT_FILTERS)
  const cursors = useCursors()
  const opened = usePanel('entry')
  const names = useKeyNames()
  const { action, subject, key } = values
  const times = useTimeRange(values)
  const context = useMemo(() => ({ additionalTypenames: ['AuditEntry'] }), [])
  const { data, error, stale, reload } = useRead(
    AuditLogPageDocument,
    {
      filter: { action, subjectId: subject, apiKeyId: key, ...times },
      ...cursors.variables,
    },
    { context },
  )
  return (
    <Page title={t('audit:auditLogPage.title')} description={t('audit:auditLogPage.description')}>
      <AuditFilters values={values} names={names} active={active} set={set} clear={clear} />
      <List
        label={t('audit:auditLogPage.listLabel')}
        columns={useMemo(() => columns(names), [names])}
        rows={data?.auditLog?.nodes}
        keyOf={({ id }) => id}
        to={({ id }) => opened.to(id)}
        error={error}
        stale={stale}
        retry={reload}
        pages={{ info: data?.auditLog?.pageInfo, cursors }}
        empty={
          active ? (
            <NoMatches noun={t('audit:auditLogPage.noun')} clear={clear} />
          ) : (
            <EmptyState title={t('audit:auditLogPage.emptyTitle')}>
              {t('audit:auditLogPage.emptyHint')}
            </EmptyState>
          )
        }
      />
      <EntryPanel id={opened.id} names={names} onClose={opened.close} />
    </Page>
  )
}

function useKeyNames(): KeyNames {
  const { data } = useRead(AuditLogKeysDocument, {})
  return useMemo(
    () =>
      new Map(
        data?.apiKeys?.nodes.map(({ id, name, tokenHint }) => [id, name ?? `${tokenHint}…`]) ?? [],
      ),
    [data],
  )
}
