import { expect, onTestFinished, test, vi } from 'vitest'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { assertAnswered, LOOPBACK, openReceiver, openSender, post, REFUSED } from './sending.ts'

test('loopback is refused by name and by address unless it is allowed', async () => {
  const receiver = await openReceiver()
  const sender = openSender({ guard: createAddressGuard([]) })
  expect(await post(sender, receiver)).toEqual(REFUSED)
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]', 'localhost']) {
    const url = `https://${host}:${receiver.port}/`
    expect(await post(sender, receiver, { url })).toEqual(REFUSED)
  }
  expect(receiver.connections).toBe(0)
})

test('without the option lookup, the hosts file and DNS resolve names', async () => {
  const receiver = await openReceiver()
  const sender = openSender({ guard: createAddressGuard(['127.0.0.0/8', '::1/128']) })
  assertAnswered(await post(sender, receiver, { url: `https://localhost:${receiver.port}/` }))
})

test('the sender ignores proxy settings in the environment', async () => {
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
    vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:1')
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  const receiver = await openReceiver()
  assertAnswered(await post(openSender({ lookup: async () => [LOOPBACK] }), receiver))
})
