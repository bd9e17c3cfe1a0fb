import type { ConnectApi, NewWebhook } from '../connect-api.ts'

/** Registers a webhook, calls `run`, and deletes the webhook afterwards, even if `run` fails. */
export async function withWebhook(
  api: ConnectApi,
  webhook: NewWebhook,
  run: (webhookId: string) => Promise<void>,
): Promise<void> {
  const { id } = await api.createWebhook(webhook)
  const failures: string[] = []
  await run(id).catch((error: Error) => failures.push(error.message))
  await api.deleteWebhook(id).catch((error: Error) => {
    failures.push(`The webhook ${id} could not be deleted; delete it yourself: ${error.message}`)
  })
  if (failures.length > 0) throw new Error(failures.join(' '))
}
