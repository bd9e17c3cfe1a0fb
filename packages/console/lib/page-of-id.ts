const PAGES: Readonly<Record<string, string>> = {
  wh: '/webhooks/',
  evt: '/events/',
  msg: '/deliveries/',
  task: '/tasks/',
  key: '/api-keys?key=',
  aud: '/audit-log?entry=',
  con: '/consumers?consumer=',
}

/** The page of an id, or null if no page shows it. */
export function pageOfId(id: string): string | null {
  if (id.startsWith('type_')) return `/event-types/${encodeURIComponent(id.slice(5))}`
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]{26}$/.exec(id) ?? []
  const page = PAGES[prefix]
  return page ? page + id : null
}
