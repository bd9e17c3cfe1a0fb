'use client'

export type { PosthornClient, PosthornOptions, StreamHandlers } from './client/posthorn-client.ts'
export { createPosthornClient } from './client/posthorn-client.ts'
export type {
  ChangedField,
  EditConflict,
  Issue,
  PosthornError,
  PosthornErrorCode,
  Result,
} from './client/posthorn-error.ts'
export {
  PosthornProvider,
  type PosthornProviderProps,
  usePosthornClient,
} from './client/posthorn-provider.tsx'
export type { TypedDocument } from './client/typed-document.ts'
export type { ClassNames, Elements, Look } from './components/look.ts'
export {
  DeliveryLog,
  type DeliveryLogPart,
  type DeliveryLogProps,
} from './deliveries/delivery-log.tsx'
export type { DeliveryLogTexts } from './deliveries/delivery-log-texts.ts'
export type { ConnectionState } from './deliveries/follow-attempts.ts'
export {
  type Attempt,
  type Delivery,
  useAttempts,
  useDeliveries,
} from './deliveries/use-deliveries.ts'
export {
  type DeliveryLog as DeliveryLogState,
  type DeliveryLogOptions,
  type Outcome,
  useDeliveryLog,
} from './deliveries/use-delivery-log.ts'
export { useRedeliver } from './deliveries/use-redeliver.ts'
export type {
  AttemptFilter,
  DeliveryFilter,
  DeliveryState,
  WebhookFilter,
  WebhookState,
} from './generated/graphql.ts'
export type { Pages } from './query/use-pages.ts'
export { type Action, usePosthornMutation } from './query/use-posthorn-mutation.ts'
export { type Query, type QueryOptions, usePosthornQuery } from './query/use-posthorn-query.ts'
export { type SigningSecret, useSigningSecret } from './webhooks/use-signing-secret.ts'
export { useWebhook, type WebhookQuery, type WebhookSettings } from './webhooks/use-webhook.ts'
export {
  type EventType,
  useWebhookForm,
  type WebhookForm as WebhookFormState,
  type WebhookFormOptions,
} from './webhooks/use-webhook-form.ts'
export { useWebhooks, type Webhook, type WebhooksOptions } from './webhooks/use-webhooks.ts'
export { useDeleteWebhook, useResumeWebhook, useTestDelivery } from './webhooks/webhook-actions.ts'
export type { WebhookConflict } from './webhooks/webhook-conflict.ts'
export { WebhookForm, type WebhookFormProps } from './webhooks/webhook-form.tsx'
export type { WebhookFormPart } from './webhooks/webhook-form-look.ts'
export type { WebhookFormTexts } from './webhooks/webhook-form-texts.ts'
export {
  WebhookList,
  type WebhookListPart,
  type WebhookListProps,
} from './webhooks/webhook-list.tsx'
export type { WebhookListTexts } from './webhooks/webhook-list-texts.ts'
export type { WebhookValues } from './webhooks/webhook-values.ts'
