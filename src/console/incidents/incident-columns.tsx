import type { Column } from '../components/lists/list.tsx'
import { WebhookStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { countOf } from '../lib/count-of.ts'
import { formatCount } from '../lib/format.ts'
import { durationOf, nameOf, type Row } from './incident-row.ts'
import { Assignee, Cause, Failures } from './incident-texts.tsx'
import { RowActs } from './row-acts.tsx'

/** The columns of incidents that are not over. */
export const openColumns = (reload: () => void, isSnoozed: boolean): readonly Column<Row>[] => [
  { label: 'Webhook', grow: true, width: '24%', cell: nameOf },
  {
    label: 'State',
    cell: ({ incident }) => <WebhookStateBadge state={incident?.webhookState ?? 'DISABLED'} />,
  },
  {
    label: 'Cause',
    grow: true,
    width: '36%',
    cell: ({ incident, webhook }) =>
      incident ? <Cause incident={incident} webhook={webhook} /> : 'Deliveries wait',
  },
  isSnoozed
    ? {
        label: 'Snoozed until',
        cell: ({ incident }) => incident?.snoozedUntil && <Time at={incident.snoozedUntil} />,
      }
    : {
        label: 'For',
        cell: ({ incident }) => incident && <Time at={incident.openedAt} as="elapsed" />,
      },
  {
    label: 'Waiting',
    end: true,
    priority: 2,
    cell: ({ webhook }) => webhook?.backlog && countOf(webhook.backlog.count),
  },
  {
    label: 'Failed',
    end: true,
    priority: 3,
    cell: ({ incident }) => incident && <Failures incident={incident} />,
  },
  {
    label: 'Assignee',
    priority: 3,
    cell: ({ incident }) => incident && <Assignee incident={incident} />,
  },
  { label: '', end: true, cell: (row) => <RowActs row={row} reload={reload} /> },
]

const REASONS = { RECOVERED: 'Recovered', DISABLED: 'Disabled', DELETED: 'Deleted' } as const

/** The columns of incidents that are over. */
export const CLOSED_COLUMNS: readonly Column<Row>[] = [
  { label: 'Webhook', grow: true, width: '24%', cell: nameOf },
  {
    label: 'State',
    cell: ({ incident }) => incident && <WebhookStateBadge state={incident.webhookState} />,
  },
  {
    label: 'Cause',
    grow: true,
    width: '20%',
    cell: ({ incident }) => incident && <Cause incident={incident} />,
  },
  {
    label: 'From',
    priority: 3,
    cell: ({ incident }) => incident && <Time at={incident.openedAt} />,
  },
  { label: 'Lasted', cell: ({ incident }) => incident && durationOf(incident) },
  {
    label: 'End',
    priority: 2,
    cell: ({ incident }) => incident?.closeReason && REASONS[incident.closeReason],
  },
  {
    label: 'Failed',
    end: true,
    priority: 2,
    cell: ({ incident }) => incident && <Failures incident={incident} />,
  },
  {
    label: 'Most waiting',
    end: true,
    priority: 3,
    cell: ({ incident }) => incident && formatCount(incident.peakWaiting),
  },
  {
    label: 'Assignee',
    priority: 4,
    cell: ({ incident }) => incident && <Assignee incident={incident} />,
  },
]
