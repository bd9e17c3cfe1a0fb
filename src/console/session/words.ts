import { t } from '../language/t.ts'
import { portalLink } from './portal.ts'

/** What the pages of webhooks are called: customers look for their endpoints. */
export const WORDS = portalLink
  ? {
      webhook: t('Endpoint'),
      webhooks: t('Endpoints'),
      create: t('Add endpoint'),
      none: t('No endpoints yet'),
      noun: 'endpoint',
    }
  : {
      webhook: 'Webhook',
      webhooks: 'Webhooks',
      create: 'Create webhook',
      none: 'No webhooks yet',
      noun: 'webhook',
    }
