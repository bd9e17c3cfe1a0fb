import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DeliveryStore, deduplicate, memoryStore } from '../../packages/receiver/src/index.ts'

const fails = () => {
  throw new Error('The disk is full.')
}

describe('deduplicate', () => {
  test('runs the handler once for each id', async () => {
    const once = deduplicate()
    const handler = vi.fn()
    expect(await once('msg_1', handler)).toBe('processed')
    expect(await once('msg_1', handler)).toBe('duplicate')
    expect(await once('msg_2', handler)).toBe('processed')
    expect(handler).toHaveBeenCalledTimes(2)
  })

  test('forgets the id of a handler that failed, so that the retry is processed', async () => {
    const once = deduplicate()
    await expect(once('msg_1', fails)).rejects.toThrow('The disk is full.')
    await expect(once('msg_1', async () => fails())).rejects.toThrow('The disk is full.')
    expect(await once('msg_1', () => {})).toBe('processed')
    expect(await once('msg_1', fails)).toBe('duplicate')
  })

  test('does not count a repeat as processed while the first may still fail', async () => {
    const once = deduplicate()
    const first = Promise.withResolvers<void>()
    const processing = once('msg_1', () => first.promise)
    expect(await once('msg_1', () => {})).toBe('processing')
    first.reject(new Error('The disk is full.'))
    await expect(processing).rejects.toThrow('The disk is full.')
    expect(await once('msg_1', () => {})).toBe('processed')
  })

  test('throws the error of the handler if the store cannot forget the id', async () => {
    const store: DeliveryStore = { add: () => true, confirm() {}, remove: async () => fails() }
    const handler = () => Promise.reject(new Error('No such order.'))
    await expect(deduplicate(store)('msg_1', handler)).rejects.toThrow('No such order.')
  })

  test('throws if the store cannot tell or cannot remember, so that the sender tries again', async () => {
    const handler = vi.fn()
    const unreachable: DeliveryStore = { add: fails, confirm() {}, remove() {} }
    await expect(deduplicate(unreachable)('msg_1', handler)).rejects.toThrow('The disk is full.')
    expect(handler).not.toHaveBeenCalled()
    const forgetful: DeliveryStore = { add: () => true, confirm: async () => fails(), remove() {} }
    await expect(deduplicate(forgetful)('msg_1', handler)).rejects.toThrow('The disk is full.')
  })

  test.each([1, 'OK', undefined, null, 0])('rejects %j as an answer of add', async (answer) => {
    const store = { add: () => answer, confirm() {}, remove() {} } as unknown as DeliveryStore
    await expect(deduplicate(store)('msg_1', () => {})).rejects.toThrow(
      new TypeError(`add of the store must return true, false or 'processing', not ${answer}.`),
    )
  })
})

describe('memoryStore', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }))
  afterEach(() => void vi.useRealTimers())

  function process(store: DeliveryStore, id: string) {
    const added = store.add(id)
    if (added === true) store.confirm(id)
    return added
  }

  test('remembers what was processed for four days, longer than Posthorn retries', () => {
    const store = memoryStore()
    expect(process(store, 'msg_1')).toBe(true)
    vi.setSystemTime(4 * 86_400_000 - 1)
    expect(process(store, 'msg_1')).toBe(false)
    vi.setSystemTime(4 * 86_400_000)
    expect(process(store, 'msg_1')).toBe(true)
  })

  test('remembers at most as many ids as allowed, the latest', () => {
    const store = memoryStore({ maxIds: 2 })
    for (const id of ['msg_1', 'msg_2', 'msg_3']) process(store, id)
    expect(process(store, 'msg_3')).toBe(false)
    expect(process(store, 'msg_2')).toBe(false)
    expect(process(store, 'msg_1')).toBe(true)
  })

  test('lets a handler that never ends claim its id for five minutes', () => {
    const store = memoryStore()
    expect(store.add('msg_1')).toBe(true)
    vi.setSystemTime(299_999)
    expect(store.add('msg_1')).toBe('processing')
    vi.setSystemTime(300_000)
    expect(store.add('msg_1')).toBe(true)
  })

  test('remembers for as long as asked', () => {
    const store = memoryStore({ seconds: 1 })
    process(store, 'msg_1')
    vi.setSystemTime(999)
    expect(process(store, 'msg_1')).toBe(false)
    vi.setSystemTime(1_000)
    expect(process(store, 'msg_1')).toBe(true)
  })
})
