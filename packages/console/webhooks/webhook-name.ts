import { hostAndPath } from '../lib/format.ts'

export interface Named {
  readonly url: string
  readonly description?: string | null
}

/** How people call a webhook: its description or, without one, its host. */
export function webhookName({ url, description }: Named): string {
  return description || hostOf(url)
}

/** The name of a webhook among others, such as in a menu. */
export function webhookOption({ url, description }: Named): string {
  return description ? `${description} · ${hostOf(url)}` : hostAndPath(url)
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
