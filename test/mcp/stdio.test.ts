import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TOOLS } from '../../src/mcp/tools.ts'
import { vacantPort } from '../outbound/raw-receivers.ts'
import { createApiKey } from '../support/api-keys.ts'
import { PROGRAM, startPosthorn } from '../support/posthorn-process.ts'
import { type Agent, agentOf, newClient } from './agent.ts'
import { type AgentWorld, openWorld } from './open-world.ts'

let world: AgentWorld
let vacant: number

beforeAll(async () => {
  vacant = (await vacantPort()).port
  // The command brings the tools. The server has no path for agents.
  world = await openWorld({ POSTHORN_MCP: 'off' })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

async function startAgent(token: string, ...options: string[]): Promise<Agent> {
  const client = newClient()
  const { url } = world.posthorn.app
  const args = [PROGRAM, 'mcp', '--server', url, ...options]
  const env = { POSTHORN_API_KEY: token }
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  return agentOf(client)
}

test('an agent on this machine finds out why a webhook fails', async () => {
  await using agent = await startAgent(await world.keyWith(['webhooks:read', 'deliveries:read']))
  expect(await agent.toolNames()).toEqual([
    'find_webhooks',
    'find_deliveries',
    'find_attempts',
    'why_not_delivered',
    'health',
  ])
  const { webhooks } = await agent.call('find_webhooks')
  const own = webhooks.items.find(({ id }: { id: string }) => id === world.own.webhookId)
  expect(own.untrusted.url).toContain('own-url')
  const { attempts } = await agent.call('find_attempts', { filter: { webhookIds: [own.id] } })
  expect(attempts.items[0]).toMatchObject({ cause: '500', delivery: { id: world.own.deliveryId } })
  await expect(agent.call('find_attempts', { deliveryId: 'msg_1' })).rejects.toThrow('deliveryId')
})

test('tools that change something need --allow-writes', async () => {
  await using reading = await startAgent(world.posthorn.tenant.token)
  expect(await reading.toolNames()).toEqual(
    TOOLS.filter(({ changes }) => !changes).map(({ name }) => name),
  )
  await using writing = await startAgent(world.posthorn.tenant.token, '--allow-writes')
  expect(await writing.toolNames()).toEqual(TOOLS.map(({ name }) => name))
  const args = { ids: [world.own.deliveryId] }
  const { done, confirm } = await writing.call('redeliver', args)
  expect(done).toBe(false)
  expect((await writing.call('redeliver', { ...args, confirm })).done).toBe(true)
})

test('an operator names the organization', async () => {
  const { organizationId, publicOrganizationId } = world.posthorn.tenant
  const { token } = await createApiKey(world.posthorn.database.prisma, {
    organizationId,
    scopes: ['admin'],
  })
  await using agent = await startAgent(token, '--organization', publicOrganizationId)
  expect(await agent.call('find_webhooks')).toMatchObject({ webhooks: { totalCount: 2 } })
})

test('a portal session is no key of an agent', async () => {
  await using run = startPosthorn(['mcp', '--server', world.posthorn.app.url], {
    environment: { POSTHORN_API_KEY: await world.portal(['webhooks:read', 'deliveries:read']) },
  })
  expect(await run.ended).toBe(1)
  expect(run.stderr).toContain('An agent needs an API key')
})

test.each([
  ['a wrong key', () => ['--server', world.posthorn.app.url], /API key/],
  ['no server', () => ['--server', `http://127.0.0.1:${vacant}`], /--server/],
  ['another server', () => ['--server', 'ftp://localhost'], /http/],
  ['the key on standard input', () => ['--key-file', '-'], /standard input has the protocol/],
] as const)('with %s the command ends with one line on stderr', async (_, args, message) => {
  await using run = startPosthorn(['mcp', ...args()], {
    environment: { POSTHORN_API_KEY: 'phk_wrong' },
  })
  expect(await run.ended).toBe(1)
  expect(run.stdout).toBe('')
  expect(run.stderr).toMatch(message)
  expect(run.stderr.trim().split('\n')).toHaveLength(1)
})

test('the command prints nothing but the protocol, and ends when standard input does', async () => {
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  })
  const { url } = world.posthorn.app
  await using run = startPosthorn(['mcp', '--server', url], {
    environment: { POSTHORN_API_KEY: world.posthorn.tenant.token },
    input: `${initialize}\n`,
  })
  expect(await run.ended).toBe(0)
  expect(run.stderr).toBe('')
  for (const line of run.stdout.split('\n').filter(Boolean)) {
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  }
})
