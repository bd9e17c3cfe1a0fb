import apiKeys from './en/apiKeys.json' with { type: 'json' }
import attempts from './en/attempts.json' with { type: 'json' }
import audit from './en/audit.json' with { type: 'json' }
import bulk from './en/bulk.json' with { type: 'json' }
import common from './en/common.json' with { type: 'json' }
import deliveries from './en/deliveries.json' with { type: 'json' }
import events from './en/events.json' with { type: 'json' }
import eventTypes from './en/eventTypes.json' with { type: 'json' }
import explore from './en/explore.json' with { type: 'json' }
import exported from './en/exports.json' with { type: 'json' }
import filters from './en/filters.json' with { type: 'json' }
import jobs from './en/jobs.json' with { type: 'json' }
import live from './en/live.json' with { type: 'json' }
import onboarding from './en/onboarding.json' with { type: 'json' }
import organizations from './en/organizations.json' with { type: 'json' }
import overview from './en/overview.json' with { type: 'json' }
import portal from './en/portal.json' with { type: 'json' }
import session from './en/session.json' with { type: 'json' }
import shell from './en/shell.json' with { type: 'json' }
import tasks from './en/tasks.json' with { type: 'json' }
import webhooks from './en/webhooks.json' with { type: 'json' }

/** Every string of the console, by the folder that shows it. */
export const en = {
  apiKeys,
  attempts,
  audit,
  bulk,
  common,
  deliveries,
  eventTypes,
  events,
  explore,
  exports: exported,
  filters,
  jobs,
  live,
  onboarding,
  organizations,
  overview,
  portal,
  session,
  shell,
  tasks,
  webhooks,
}
