import { t } from '../language/t.ts'
import { portalLink } from './portal.ts'

/** What the pages of webhooks are called. */
const ENGLISH = {
  webhook: 'Webhook',
  webhooks: 'Webhooks',
  create: 'Create webhook',
  none: 'No webhooks yet',
  noun: 'webhook',
}

/** In the portal: customers look for their endpoints. */
const OF_PORTAL: typeof ENGLISH = {
  get webhook() {
    return t('Endpoint')
  },
  get webhooks() {
    return t('Endpoints')
  },
  get create() {
    return t('Add endpoint')
  },
  get none() {
    return t('No endpoints yet')
  },
  noun: 'endpoint',
}

export const WORDS = portalLink ? OF_PORTAL : ENGLISH
