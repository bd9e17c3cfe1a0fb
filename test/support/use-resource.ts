import { afterAll, beforeAll } from 'vitest'

/** A resource of a file of tests: opened before the first test, and disposed after the last. */
export function useResource<Resource extends AsyncDisposable>(
  open: () => Promise<Resource>,
): Resource {
  let opened: Resource
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened[Symbol.asyncDispose]())
  return new Proxy({} as Resource, {
    get: (_, name) => Reflect.get(opened, name),
    set: (_, name, value) => Reflect.set(opened, name, value),
  })
}
