/** The text of each file of `docs/examples/graphql`. The tests run all of their operations. */
const FILES = import.meta.glob<string>('../../../docs/examples/graphql/*.graphql', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** As above, of `/graphql/events`. */
const EVENT_FILES = import.meta.glob<string>('../../../docs/examples/event-graph/*.graphql', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** What a newcomer needs first. */
const FIRST = ['overview', 'webhooks', 'events', 'deliveries', 'live', 'follow', 'pull']

/** A tab for each file, whose operations the execute button lists. */
export const EXAMPLE_TABS = { api: tabsOf(FILES), events: tabsOf(EVENT_FILES) }

function tabsOf(files: Readonly<Record<string, string>>): { query: string }[] {
  return Object.entries(files)
    .map(([path, query]) => ({ name: path.replace(/.*\/|\.graphql$/g, ''), query }))
    .sort((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name))
    .map(({ query }) => ({ query }))
}

function rank(name: string): number {
  const at = FIRST.indexOf(name)
  return at === -1 ? FIRST.length : at
}
