interface Named {
  readonly url: string
  readonly description?: string | null
}

/** How people call a webhook: its description or, without one, its host. */
export function webhookName({ url, description }: Named): string {
  return description || hostOf(url)
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
