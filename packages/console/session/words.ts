import { t } from '../language/t.ts'
import { portalLink } from './portal.ts'

/** In the portal: customers look for their endpoints. */
const portal = portalLink !== null

/** What the pages of webhooks are called. Getters, because the texts are loaded after this script. */
export const WORDS = {
  noun: portal ? 'endpoint' : 'webhook',
  get webhook() {
    return portal ? t('Endpoint') : 'Webhook'
  },
  get webhooks() {
    return portal ? t('Endpoints') : 'Webhooks'
  },
  get create() {
    return portal ? t('Add endpoint') : 'Create webhook'
  },
  get none() {
    return portal ? t('No endpoints yet') : 'No webhooks yet'
  },
}
