import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishSnippets } from '../../../packages/console/events/publish-code.ts'
import { sessionRequest } from '../../../packages/console/portal/session-request.ts'
import { JOINED } from '../../support/factories.ts'
import { programPath } from '../../support/installed-program.ts'
import { needs } from '../../support/left-out.ts'
import { useFolder } from '../../support/use-folder.ts'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'

/* Runs the code that the console shows for publishing and for the portal, as a reader would who copies it. */

const run = promisify(execFile)

let server: ConsoleServer
const folder = await useFolder('snippets')
let organizationId: string

beforeAll(async () => {
  server = await startConsoleServer()
  const { viewer } = await server.graphql('{ viewer { organization { id } } }')
  organizationId = viewer.organization.id
})
afterAll(() => server?.[Symbol.asyncDispose]())

const LANGUAGES = ['curl', 'TypeScript', 'SQL']

const needsOf = (language: string) => (language === 'curl' ? needs('curl') : {})

/** What each language must not take for its own syntax. */
const DATA = { name: `Zoë "O'Hara" $HOME \${x} \`y\` \\n ''' %s`, lines: 'a\nb', nested: [1, null] }

describe.each([false, true])('acting for another organization: %s', (actsFor) => {
  describe.each(LANGUAGES)('the %s code', (language) => {
    test('publishes exactly the data', needsOf(language), async () => {
      const before = await eventIds()
      await execute(language, snippetOf(language, { actsFor, type: JOINED }), server.token)
      const added = (await eventIds()).filter((id) => !before.includes(id))
      expect(added).toHaveLength(1)
      const { event } = await server.graphql(
        'query ($id: ID!) { event(id: $id) { type { name } body } }',
        { id: added[0] },
      )
      expect(event.type.name).toBe(JOINED)
      expect(JSON.parse(event.body).data).toEqual(DATA)
    })
  })
})

describe.each(LANGUAGES)('the %s code', (language) => {
  test('shows why an event is rejected', needsOf(language), async () => {
    const before = await eventIds()
    const code = snippetOf(language, { actsFor: false, type: 'no.such_type' })
    const output = await execute(language, code, server.token).catch(
      (error: Error) => error.message,
    )
    expect(output).toMatch(/no\.such_type/)
    expect(await eventIds()).toEqual(before)
  })
})

describe('the code for the portal', () => {
  const portalCode = (scopes: string[]) => {
    const theme = { primaryColor: '#c2255c', fontFamily: `"Figtree", O'Hara` }
    const target = { origin: server.url, organizationId, actsFor: true }
    return sessionRequest(target, { scopes, ttlSeconds: 900, theme })
  }

  test('creates exactly this session', needs('curl'), async () => {
    const output = await execute('curl', portalCode(['webhooks:read']), server.token)
    const [url = ''] = /http[^"\s]+#[^"\s]+/.exec(output) ?? []
    const fragment = new URLSearchParams(new URL(url).hash.slice(1))
    expect(fragment.get('primaryColor')).toBe('#c2255c')
    expect(fragment.get('fontFamily')).toBe(`"Figtree", O'Hara`)
    const query = '{ viewer { scopes session { expiresAt } } }'
    const { viewer } = await server.graphql(query, {}, fragment.get('token') ?? '')
    expect(viewer.scopes).toEqual(['webhooks:read'])
    expect(Date.parse(viewer.session.expiresAt) - Date.now()).toBeLessThanOrEqual(900_000)
  })

  test('shows why a session is rejected', needs('curl'), async () => {
    const output = await execute('curl', portalCode(['admin']), server.token).catch(
      (error: Error) => error.message,
    )
    expect(output).toContain('admin')
    expect(output).not.toContain('phs_')
  })
})

function snippetOf(language: string, target: { actsFor: boolean; type: string }): string {
  const snippets = publishSnippets({ ...target, origin: server.url, organizationId, data: DATA })
  return snippets.find((snippet) => snippet.language === language)?.code ?? ''
}

/** The output of the code. Rejects if it fails. */
async function execute(language: string, code: string, token: string): Promise<string> {
  if (language === 'SQL') {
    await using database = await server.openDatabase()
    const { rows } = await database.pool.query(code)
    return JSON.stringify(rows)
  }
  const [file, program] = PROGRAMS[language] as readonly [string, string]
  const script = path.join(folder, file)
  await writeFile(script, code)
  const env = { ...process.env, POSTHORN_API_KEY: token }
  const { stdout } = await run(programPath(program), [script], { env })
  return stdout
}

const PROGRAMS: Readonly<Record<string, readonly [file: string, program: string]>> = {
  curl: ['publish.sh', 'sh'],
  TypeScript: ['publish.ts', 'node'],
}

async function eventIds(): Promise<string[]> {
  const { events } = await server.graphql('{ events(first: 50) { nodes { id } } }')
  return events.nodes.map(({ id }: { id: string }) => id)
}
