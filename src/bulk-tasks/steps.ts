import type { Keyring } from '../auth/encryption/keyring.ts'
import { deletionStep } from '../organizations/deletion/delete-rows.ts'
import type { Steps } from '../queue/long-work.ts'
import { cancelStep, deleteWebhookStep } from './cancel.ts'
import { eraseStep } from './erase.ts'
import { recoverStep } from './recover.ts'
import { redeliverStep } from './redeliver.ts'

/** What one page of each kind of work does. */
export const createSteps = (keyring: Keyring): Steps => ({
  redeliver: redeliverStep,
  cancel: cancelStep,
  recover: recoverStep,
  erase: (sql, work) => eraseStep(keyring, sql, work),
  delete_webhook: deleteWebhookStep,
  delete_organization: deletionStep,
})
