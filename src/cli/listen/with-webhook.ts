import type { ConnectApi, NewWebhook } from '../connect-api.ts'

/** Registers a webhook for as long as `run` takes. It is removed however that ends. */
export async function withWebhook(
  api: ConnectApi,
  webhook: NewWebhook,
  run: (webhookId: string) => Promise<void>,
): Promise<void> {
  const { id } = await api.createWebhook(webhook)
  const failures: string[] = []
  await run(id).catch((error: Error) => failures.push(error.message))
  await api.deleteWebhook(id).catch((error: Error) => {
    failures.push(`The webhook ${id} is still registered, and must be removed: ${error.message}`)
  })
  if (failures.length > 0) throw new Error(failures.join(' '))
}
