import type { Column } from '../components/lists/list.tsx'
import { WebhookStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { countOf } from '../lib/count-of.ts'
import { durationOf, nameOf, type Row } from './incident-row.ts'
import { Acknowledgment, Cause } from './incident-texts.tsx'
import { RowActs } from './row-acts.tsx'

const ACKNOWLEDGED: Column<Row> = {
  label: 'Acknowledged',
  priority: 3,
  cell: ({ incident }) => incident && <Acknowledgment incident={incident} />,
}

/** The columns of incidents that are not resolved. */
export const openColumns = (reload: () => void): readonly Column<Row>[] => [
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
  {
    label: 'For',
    cell: ({ incident }) => incident && <Time at={incident.openedAt} as="elapsed" />,
  },
  {
    label: 'Waiting',
    end: true,
    priority: 2,
    cell: ({ webhook }) => webhook?.backlog && countOf(webhook.backlog.count),
  },
  ACKNOWLEDGED,
  { label: '', end: true, cell: (row) => <RowActs row={row} reload={reload} /> },
]

/** The columns of incidents that are resolved. */
export const RESOLVED_COLUMNS: readonly Column<Row>[] = [
  { label: 'Webhook', grow: true, width: '24%', cell: nameOf },
  {
    label: 'State',
    cell: ({ incident }) => incident && <WebhookStateBadge state={incident.webhookState} />,
  },
  {
    label: 'Cause',
    grow: true,
    width: '36%',
    cell: ({ incident }) => incident && <Cause incident={incident} />,
  },
  {
    label: 'From',
    priority: 2,
    cell: ({ incident }) => incident && <Time at={incident.openedAt} />,
  },
  { label: 'Lasted', cell: ({ incident }) => incident && durationOf(incident) },
  ACKNOWLEDGED,
]
