import { Loader, VisuallyHidden } from '@mantine/core'
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import '@mantine/spotlight/styles.css'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { type Command, exactCommands, GROUPS, knownCommands } from './commands.ts'
import { useFound } from './use-found.ts'

const [store, { open }] = createSpotlight()
export const openCommandMenu = open

/** For the scroll area in the list. */
const LISTBOX = {
  viewportProps: { id: 'command-menu-results', role: 'listbox', 'aria-label': 'Results' },
}
const NOTHING_FOUND =
  'Nothing found. Enter an id, the value of a search key, or a part of a URL or description.'

/** One box that finds ids, values of search keys, webhooks, event types, pages, actions and organizations. */
export function CommandMenu() {
  const [query, setQuery] = useState('')
  const text = query.trim()
  const session = useSession()
  const navigate = useNavigate()
  const { opened, selected } = useSpotlight(store)
  const { found, isSearching, failure } = useFound(text)
  const all = [...exactCommands(session, text), ...found, ...knownCommands(session, text)]
  const groups = Object.values(GROUPS).map((name) => all.filter(({ group }) => group === name))
  const commands = groups.flat()
  const shown = commands.map(({ group, id }) => group + id).join(' ')

  // Spotlight selects the first result when the text changes, and others arrive later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each opening and change
  useEffect(() => store.updateState((state) => ({ ...state, selected: 0 })), [shown, opened])

  const run = ({ to, href = '' }: Command) =>
    to === undefined ? location.assign(href) : navigate(to)
  const status = failure ?? (shown === '' && !isSearching ? NOTHING_FOUND : null)
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      scrollable
      attributes={{ content: { 'aria-label': 'Search and commands' } }}
    >
      <Spotlight.Search
        role="combobox"
        aria-label="Search and commands"
        aria-controls={LISTBOX.viewportProps.id}
        aria-expanded={shown !== ''}
        size="md"
        placeholder="An id, a value such as 87012, a host, a page or an action"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={isSearching && <Loader size={14} aria-label={t('Loading')} />}
      />
      {/* A new list for new results, so that no former selection stays in it. */}
      <Spotlight.ActionsList key={shown} {...LISTBOX}>
        {groups.flatMap(([first, ...others]) => {
          if (!first) return []
          const title = t(first.group)
          return (
            <Spotlight.ActionsGroup key={title} role="group" aria-label={title} label={title}>
              {[first, ...others].map((command) => (
                <Spotlight.Action
                  key={command.id}
                  role="option"
                  aria-selected={command === commands[selected]}
                  data-selected={command === commands[selected] || undefined}
                  label={command.label}
                  description={command.hint}
                  onClick={() => run(command)}
                />
              ))}
            </Spotlight.ActionsGroup>
          )
        })}
      </Spotlight.ActionsList>
      {status !== null && <Spotlight.Empty role="status">{status}</Spotlight.Empty>}
      {/* The options cannot have ids, by which a screen reader would find the selected one. */}
      <VisuallyHidden role="status">{commands[selected]?.label}</VisuallyHidden>
    </Spotlight.Root>
  )
}
