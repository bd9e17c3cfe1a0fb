import type { Look } from '../components/look.ts'
import type { NoticePart } from '../components/notice.tsx'
import type { WebhookFormTexts } from './webhook-form-texts.ts'

export type WebhookFormLook = Look<WebhookFormPart, WebhookFormTexts>

export type WebhookFormPart =
  | NoticePart
  | 'field'
  | 'label'
  | 'input'
  | 'hint'
  | 'issue'
  | 'event-types'
  | 'event-type'
  | 'summary'
  | 'conflict'
  | 'conflict-field'
  | 'mine'
  | 'theirs'
  | 'keep-mine'
  | 'take-theirs'
  | 'saved'
  | 'read-only'
  | 'save'
